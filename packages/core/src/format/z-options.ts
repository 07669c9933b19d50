import { parseCall, splitCalls } from './call-syntax.ts';
import { childPath, type Report } from './finding.ts';
import { nearestWord } from './nearest-word.ts';
import { valuesOf } from './schema/fields.generated.ts';
import { zFinding } from './z-finding.ts';

/** The options that a `z` block may have (specification 2.3). */
export type OptionName =
  | (typeof valuesOf.ZOption)[number]
  /** An element such as `$evmChains` (specification 2.4). */
  | '$list';

/** One option as written. */
export interface Option {
  /** The text between the parentheses; of `$evmChains`, all of it. */
  args: string;
  path: string;
}

/** The options of one block by name, so that their order cannot matter. */
export type Options = Map<OptionName, Option>;

const KNOWN: readonly string[] = valuesOf.ZOption;

/** Reads the elements of `options`. What cannot be understood is a warning (VAL045) and is left out. */
export function readOptions(elements: readonly unknown[], path: string, report: Report): Options {
  const options: Options = new Map();
  elements.forEach((element, index) => {
    const at = childPath(path, index);
    if (typeof element === 'string') readElement(element, at, options, report);
    else report(zFinding('VAL045', at, 'an option must be text such as "optional()"; it is ignored'));
  });
  return options;
}

function readElement(element: string, path: string, options: Options, report: Report): void {
  if (/^\$\w+$/.test(element.trim())) {
    add('$list', { args: element.trim(), path }, options, report);
    return;
  }
  for (const text of splitCalls(element)) {
    const call = parseCall(text);
    if (call !== undefined && call.args === undefined && call.name !== 'optional' && isKnown(call.name)) {
      const hint = `Write ${call.name}(…).`;
      report(zFinding('VAL045', path, `option "${text}" has no parentheses; it is ignored`, { hint }));
    } else if (call !== undefined && isKnown(call.name))
      add(call.name, { args: call.args ?? '', path }, options, report);
    else
      report(zFinding('VAL045', path, `option "${text}" is not known; it is ignored`, { hint: hintFor(call?.name) }));
  }
}

function add(name: OptionName, option: Option, options: Options, report: Report): void {
  const earlier = options.get(name);
  if (earlier === undefined) options.set(name, option);
  else if (earlier.args !== option.args) {
    report(zFinding('VAL045', option.path, `option ${name}(${option.args}) is given twice; the first one is used`));
  }
}

function isKnown(name: string): name is OptionName {
  return KNOWN.includes(name);
}

function hintFor(name = ''): string {
  const nearest = nearestWord(name, KNOWN);
  if (nearest !== undefined) return `Did you mean ${nearest}()?`;
  return `Known options: ${KNOWN.map((known) => `${known}()`).join(', ')}.`;
}
