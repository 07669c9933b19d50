import { type CheckResult, checkResult, type Finding } from '../finding.ts';
import { ruleFinding } from '../finding-codes.ts';
import { listWords, quote } from '../input/describe-input.ts';
import { suggestWord } from '../nearest-word.ts';
import { type FileReference, type IdReference, parseReference, type Reference } from './parse-reference.ts';
import { type NamedTools, nameTools, type ToolPlace } from './tool-names.ts';

export interface ToolResolution<T> extends CheckResult {
  outcome: 'match' | 'ambiguous' | 'none';
  /** One tool or all tools of a file. All candidates if ambiguous, empty if none match. */
  tools: readonly T[];
}

/** Resolves references in any form that `parseReference` accepts. */
export type ToolResolver<T> = (text: string) => ToolResolution<T>;

/**
 * Makes a resolver for a set of tools. Displayed names (`nameTools`) win over the other forms; ids may start with the
 * namespace or the provider's folder; a bare tool name is enough if it is unique.
 *
 * @example
 * const resolve = createToolResolver([{ namespace: 'tides', toolName: 'getTides' }]);
 * console.log(resolve('tides_getTides').outcome); // match
 */
export function createToolResolver<T extends ToolPlace>(tools: readonly T[]): ToolResolver<T> {
  const { named } = nameTools(tools);
  return (text) => {
    const { reference, findings } = parseReference(text);
    if (reference === null) return { ...checkResult(findings), outcome: 'none', tools: [] };
    const isForTools = reference.form === 'file' ? reference.part?.type : reference.form === 'id' && reference.type;
    if (isForTools && isForTools !== 'tool') {
      return resolution('none', [], [ruleFinding('REF008', '', `${quote(text)} names a ${isForTools}, not a tool`)]);
    }
    const found = find(reference, named);
    if (found.length === 0) return resolution('none', [], [unknownTool(text, named)]);
    const wantsAll = reference.form === 'file' && reference.part === undefined;
    const files = new Set(found.map(({ file }) => file));
    if (found.length === 1 || (wantsAll && files.size === 1)) return resolution('match', found, findings);
    return resolution('ambiguous', found, [ambiguous(text, found)]);
  };
}

/**
 * Finds the tool that a reference names. For many references, prepare the set with `createToolResolver`.
 *
 * @example
 * const tools = [{ namespace: 'tides', toolName: 'getTides' }];
 * console.log(resolveToolReference('tides_getTides', tools).outcome); // match
 */
export function resolveToolReference<T extends ToolPlace>(text: string, tools: readonly T[]): ToolResolution<T> {
  return createToolResolver(tools)(text);
}

type Named<T> = NamedTools<T>['named'];

function find<T extends ToolPlace>(reference: Reference, named: Named<T>): T[] {
  switch (reference.form) {
    case 'file':
      return inFile(reference, named);
    case 'id':
      return named.filter(({ tool }) => hasId(tool, reference)).map(({ tool }) => tool);
    case 'name':
      return withName(reference.name, named);
  }
}

function inFile<T extends ToolPlace>({ source, file, part }: FileReference, named: Named<T>): T[] {
  const path = `${source}/${file}`;
  const tools = named.map(({ tool }) => tool).filter((tool) => part === undefined || tool.toolName === part.name);
  const exact = tools.filter((tool) => slashed(tool) === path);
  return exact.length > 0 ? exact : tools.filter((tool) => slashed(tool).endsWith(`/${path}`));
}

function hasId(tool: ToolPlace, { namespace, name, file }: IdReference): boolean {
  if (tool.toolName !== name || (tool.namespace !== namespace && folderOf(tool) !== namespace)) return false;
  return file === undefined || slashed(tool).endsWith(`/${file}.mjs`);
}

/** Tries one kind of name after the other, so that an older name never hides a displayed one. */
function withName<T extends ToolPlace>(name: string, named: Named<T>): T[] {
  const kinds: ((entry: Named<T>[number]) => boolean)[] = [
    ({ names }) => names.mcp === name,
    ({ names }) => names.cli === name,
    ({ tool }) => plainForms(tool).includes(name),
    ({ names }) => names.legacy === name,
    ({ tool }) => tool.toolName === name,
  ];
  for (const isNamed of kinds) {
    const found = named.filter(isNamed);
    if (found.length > 0) return found.map(({ tool }) => tool);
  }
  return [];
}

/** The names without shortening, and those with the provider's folder instead of the namespace. */
function plainForms(tool: ToolPlace): string[] {
  const owners = [tool.namespace, folderOf(tool)];
  return owners.flatMap((owner) => (owner === '' ? [] : [`${owner}__${tool.toolName}`, `${owner}_${tool.toolName}`]));
}

function folderOf({ folder, file = '' }: ToolPlace): string {
  return folder ?? slashed({ file }).split('/').at(-2) ?? '';
}

function slashed({ file = '' }: Pick<ToolPlace, 'file'>): string {
  return file.replaceAll('\\', '/');
}

function resolution<T>(
  outcome: ToolResolution<T>['outcome'],
  tools: readonly T[],
  findings: readonly Finding[],
): ToolResolution<T> {
  return { ...checkResult(findings), outcome, tools };
}

function ambiguous(text: string, found: readonly ToolPlace[]): Finding {
  const places = found.map(({ namespace, toolName, file }) =>
    file === undefined ? `${namespace}/tool/${toolName}` : `${slashed({ file })}::tool::${toolName}`,
  );
  const message = `${quote(text)} matches ${found.length} tools`;
  return ruleFinding('REF007', '', message, `Write one of ${listWords(places.sort())}.`);
}

function unknownTool<T extends ToolPlace>(text: string, named: Named<T>): Finding {
  const known = named.flatMap(({ tool, names }) => {
    if (text.includes('::')) return names.reference ?? [];
    return text.includes('/')
      ? [names.id, `${tool.namespace}/${tool.toolName}`]
      : [names.cli, names.mcp, tool.toolName];
  });
  const hint = suggestWord(text, known) ?? 'Search for tools to see their names.';
  return ruleFinding('REF006', '', `there is no tool ${quote(text)}`, hint);
}
