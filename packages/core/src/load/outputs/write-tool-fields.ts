import { isDeepStrictEqual } from 'node:util';
import type { AnyNode } from 'acorn';
import { analyzeModule, type ModuleAnalysis } from '../../module/analyze-module.ts';
import { readExports } from '../../module/module-syntax.ts';
import { applyEdits, type TextEdit } from '../../module/module-text.ts';
import { parseModule } from '../../module/parse-module.ts';
import { readSyntax } from '../../module/read-syntax.ts';
import { type CheckResult, checkResult, type Finding } from '../../schema/finding.ts';
import { isObject, type JsonObject, type JsonValue } from '../../schema/json.ts';
import { outputFinding } from '../../schema/output/check-output.ts';
import { findMainText, type MainText } from '../legacy/main-text.ts';
import { unifiedDiff } from '../legacy/unified-diff.ts';
import { indentAt, insertions, type LiteralSource, type LiteralStyle, valueEdits } from './literal-edits.ts';

export interface WrittenTools extends CheckResult {
  changed: boolean;
  text: string;
  /** Unified diff; empty without changes. */
  diff: string;
  /** Names of the tools that changed. */
  tools: string[];
}

/** Fields to set, by the name of the tool. */
export type ToolFields = Readonly<Record<string, JsonObject>>;

/**
 * Sets fields of tools in the text of a schema file, such as `output`. Descriptions, comments and formatting stay: only differences are
 * edited. A tool that is not written out as an object is the error `OUT005`, and nothing is changed. Never throws.
 *
 * @param options.fields - Gets the fields of the tools of the file.
 */
export function writeToolFields(
  text: string,
  { file, fields }: { file: string; fields: (tools: Readonly<Record<string, unknown>>) => ToolFields },
): WrittenTools {
  const unchanged = (findings: readonly Finding[]): WrittenTools => ({
    ...checkResult(findings.map((finding) => ({ ...finding, file }))),
    ...{ changed: false, text, diff: '', tools: [] },
  });
  const tools = readTools(analyzeModule(text, { file }));
  const parsed = parseModule(text);
  if (tools === undefined || parsed.status === 'failed') return unchanged([refusal('main', 'main cannot be read')]);
  const target = readExports(parsed.program).get('main');
  const main = target && findMainText(readSyntax(parsed.program, new Set()), target);
  if (main === undefined) return unchanged([refusal('main', 'main is not an object literal in this file')]);

  const source = { text, comments: parsed.comments, style: styleOf(text, main), objectOf: main.objectOf };
  const after: Record<string, unknown> = { ...tools.value };
  const edits: TextEdit[] = [];
  const changed: string[] = [];
  const findings: Finding[] = [];
  for (const [name, given] of Object.entries(fields(tools.value))) {
    const before = tools.value[name];
    if (!isObject(before)) continue;
    const different = Object.entries(given).filter(([key, value]) => !isDeepStrictEqual(before[key], value));
    if (different.length === 0) continue;
    const planned = planEdits(source, main, { path: [tools.key, name], before, fields: different });
    if (planned === undefined) {
      findings.push(refusal(`main.${tools.key}.${name}`, `${name} is not written as an object literal`));
    } else {
      edits.push(...planned);
      changed.push(name);
      after[name] = { ...before, ...Object.fromEntries(different) };
    }
  }
  if (findings.length > 0 || edits.length === 0) return unchanged(findings);
  const written = applyEdits(text, edits);
  if (!isDeepStrictEqual(readTools(analyzeModule(written, { file }))?.value, after)) {
    return unchanged([refusal('main', 'editing the text of main does not give the expected value')]);
  }
  const diff = unifiedDiff(text, edits, { file });
  return { ...checkResult([]), changed: true, text: written, diff, tools: changed };
}

function refusal(path: string, message: string): Finding {
  return outputFinding(
    'OUT005',
    path,
    message,
    'Write its output by hand: schemakit test … --update-output --dry-run shows it.',
  );
}

function readTools(reading: ModuleAnalysis): { key: string; value: Record<string, unknown> } | undefined {
  const read = reading.read('main');
  if (read.status !== 'read' || !isObject(read.value)) return undefined;
  const key = read.value.tools === undefined ? 'routes' : 'tools';
  const value = read.value[key];
  return isObject(value) ? { key, value } : undefined;
}

function planEdits(
  source: LiteralSource,
  main: MainText,
  about: {
    path: readonly [string, string];
    before: Readonly<Record<string, unknown>>;
    fields: readonly (readonly [string, JsonValue])[];
  },
): TextEdit[] | undefined {
  const {
    path: [key, name],
    before,
    fields,
  } = about;
  const tools = main.propertiesNamed(key).at(-1);
  const tool = tools && !tools.sharedAs ? main.propertiesIn(tools.node.value, name).at(-1) : undefined;
  if (tool === undefined || tool.sharedAs !== undefined) return undefined;
  const edits: TextEdit[] = [];
  const added: (readonly [string, JsonValue])[] = [];
  for (const [field, value] of fields) {
    const own = main.propertiesIn(tool.node.value, field).at(-1);
    if (own === undefined || own.sharedAs !== undefined) {
      // A new property after a spread overrides it.
      added.push([field, value]);
      continue;
    }
    const { shorthand, value: node } = own.node;
    const place = shorthand ? main.objectOf(node) : node;
    if (place === undefined) return undefined;
    edits.push(...valueEdits(source, place, before[field], value));
  }
  const object = main.objectOf(tool.node.value);
  if (added.length === 0) return edits;
  return object && [...edits, ...insertions(source, object, added)];
}

/** The style of a file, as its `main` shows it. */
function styleOf(text: string, main: MainText): LiteralStyle {
  const keys = ['namespace', 'name', 'version'].flatMap((key) => main.propertiesNamed(key)).map(({ node }) => node);
  const [first] = keys;
  const quoteOf = (node: AnyNode) => /["']/.exec(text.charAt(node.start))?.[0];
  return {
    quote: keys.map(({ value }) => quoteOf(value)).find((quote) => quote !== undefined) ?? "'",
    quotesKeys: first !== undefined && quoteOf(first.key) !== undefined,
    unit: (first && indentAt(text, first.start)) || '  ',
    lineBreak: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
