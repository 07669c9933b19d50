import { isDeepStrictEqual } from 'node:util';
import type { AnyNode } from 'acorn';
import { analyzeModule, type ModuleAnalysis } from '../../module/analyze-module.ts';
import { type ModuleSyntax, readExports } from '../../module/module-syntax.ts';
import { applyEdits, offsetLocator, type TextEdit } from '../../module/module-text.ts';
import { parseModule } from '../../module/parse-module.ts';
import { createLiteralReader, type LiteralReader } from '../../module/read-literal.ts';
import { readSyntax } from '../../module/read-syntax.ts';
import { type CheckResult, checkResult, type Finding } from '../../schema/finding.ts';
import { type RuleCode, ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';
import { detectLegacy } from '../../schema/legacy/adapt-legacy.ts';
import { describeExports } from '../../schema/main-of.ts';
import { findMainText, type MainProperty, type MainText } from './main-text.ts';
import { readLegacyData } from './read-legacy-module.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface Migration extends CheckResult {
  /**
   * `migrated`; `skipped` for a file that is not format 2, such as a schema of format 3 or 1, a list or a skill; or `failed` for
   * a file that is or may be format 2 and cannot be changed safely. `status` is false also for a file that is not a schema.
   */
  outcome: 'migrated' | 'skipped' | 'failed';
  changed: boolean;
  text: string;
  /** Unified diff; empty without changes. */
  diff: string;
}

/**
 * Migrates the text of a schema file from format 2 to format 3 (docs/legacy.md): renames `routes` of `main` to `tools` and sets
 * its `version` to 3.0.0. Comments and formatting stay. A change that is not certainly safe is an error. Never throws.
 *
 * @example
 * const { changed } = migrateSource("export const main = { version: '2.0.0', routes: {} };", { file: 'tides.mjs' });
 * console.log(changed); // true
 */
export function migrateSource(text: string, { file }: { file: string }): Migration {
  const reading = analyzeModule(text, { file });
  const unreadable = reading.findings.filter(({ code, severity }) => code.startsWith('MOD') && severity === 'error');
  if (unreadable.length > 0) return unchanged('failed', text, unreadable);
  if (!reading.exports.includes('main')) return unchanged('skipped', text, [{ ...withoutMain(reading), file }]);
  const read = reading.read('main');
  if (read.status === 'read' && !hasFormat2(read.value)) return unchanged('skipped', text, [{ ...nothingToDo, file }]);
  const plan = planEdits(text, { isCertain: read.status !== 'needs-evaluation' });
  const position = offsetLocator(text);
  const findings = plan.notes.map(
    ({ code, message, hint, offset }): Finding => ({
      ...ruleFinding(code, 'main', message, hint),
      file,
      ...(offset !== undefined && position(offset)),
    }),
  );
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return unchanged('failed', text, errors);
  if (plan.edits.length === 0) return unchanged('skipped', text, [{ ...nothingToDo, file }]);
  const migrated = applyEdits(text, plan.edits);
  if (!isSameButMigrated(reading, analyzeModule(migrated, { file }))) {
    const message = 'editing the text of main does not give the expected value';
    return unchanged('failed', text, [{ ...ruleFinding('MIG005', 'main', message, byHand), file }]);
  }
  const diff = unifiedDiff(text, plan.edits, { file });
  return { ...checkResult(findings), outcome: 'migrated', changed: true, text: migrated, diff };
}

function hasFormat2(main: unknown): boolean {
  return isObject(main) && (main.routes !== undefined || isVersion2(main.version));
}

/** Also accepts `2` and `'v2.0.0'`. */
function isVersion2(version: unknown): version is string | number {
  return (typeof version === 'string' || typeof version === 'number') && /^\s*v?2(\.|\s*$)/.test(String(version));
}

const nothingToDo: Finding = ruleFinding(
  'MIG002',
  'main',
  'nothing to migrate: main has no routes and no version 2.x.x',
);

const byHand = 'Rename routes to tools and set version to 3.0.0 by hand.';

function unchanged(outcome: 'skipped' | 'failed', text: string, findings: readonly Finding[]): Migration {
  return { ...checkResult(findings), outcome, changed: false, text, diff: '' };
}

function withoutMain(reading: ModuleAnalysis): Finding {
  const { exports } = reading;
  if (exports.includes('schema') && mayBeFormat1(reading)) {
    const message =
      'the file is of format 1; it is converted each time it is loaded, and the file itself does not change';
    return ruleFinding('MIG003', 'schema', message);
  }
  return ruleFinding('MIG004', 'main', `the file has no export named main; ${describeExports(exports)}`);
}

/** Other files may export `schema` too, such as a JSON Schema. */
function mayBeFormat1(reading: ModuleAnalysis): boolean {
  const read = readLegacyData(reading.program('schema') ?? '');
  return read.status !== 'read' || detectLegacy({ module: { schema: read.value } }).isLegacy;
}

interface Note {
  code: RuleCode;
  message: string;
  hint?: string;
  offset?: number;
}

interface Plan {
  edits: TextEdit[];
  notes: Note[];
}

const refused = (note: Omit<Note, 'code'>): Plan => ({ edits: [], notes: [{ code: 'MIG005', ...note }] });

function planEdits(text: string, { isCertain }: { isCertain: boolean }): Plan {
  const parsed = parseModule(text);
  if (parsed.status === 'failed') return { edits: [], notes: [] };
  const syntax = readSyntax(parsed.program, new Set());
  const target = readExports(parsed.program).get('main');
  const main = target && findMainText(syntax, target);
  if (main === undefined) {
    if (target?.kind !== 'foreign' && !mayBeFormat2(syntax, text)) return { edits: [], notes: [] };
    const message = 'main is not an object literal in this file';
    const place = target && { offset: target.node.start };
    return refused({ message, hint: byHand, ...place });
  }
  const reader = createLiteralReader(syntax);
  const tools = renameRoutes(text, main);
  const version = raiseVersion(text, main, reader);
  if (!isCertain && mayBeFormat2(syntax, text) && !standsInText(main, reader)) {
    return refused({ message: 'main is known only when the file runs', hint: byHand });
  }
  return { edits: [...tools.edits, ...version.edits], notes: [...tools.notes, ...version.notes] };
}

/** Whether a computed `main` may be format 2: the text has `routes` or a version 2, or there are imports. */
function mayBeFormat2({ program }: ModuleSyntax, text: string): boolean {
  return (
    program.body.some(({ type }) => type === 'ImportDeclaration') || /\broutes\b|["'`]\s*v?2(\.|\s*["'`])/.test(text)
  );
}

/** Whether the text of a computed `main` shows both keys, or that it is format 3. */
function standsInText(main: MainText, reader: LiteralReader): boolean {
  const versions = main.propertiesNamed('version').map(({ node }) => readValue(node.value, reader));
  if (main.propertiesNamed('routes').length > 0) return versions.length > 0;
  return /^3\./.test(String(versions.at(-1))) && main.usesOf('routes').length === 0;
}

function renameRoutes(text: string, main: MainText): Plan {
  const found = main.propertiesNamed('routes');
  const [first] = found;
  if (first === undefined) return { edits: [], notes: [] };
  const offset = first.node.start;
  if (main.propertiesNamed('tools').length > 0) {
    return refused({ message: 'main has both tools and routes', hint: 'Move all routes to tools by hand.', offset });
  }
  const fixed = found.find(({ node, sharedAs }) => sharedAs !== undefined || node.kind !== 'init' || node.method);
  if (fixed !== undefined) return cannotChange('routes', fixed);
  const edits = [
    ...found.map(({ node }) => renameKey(text, node.key, node.shorthand)),
    ...main.usesOf('routes').map(({ key, shorthand }) => renameKey(text, key, shorthand)),
  ];
  return { edits, notes: [{ code: 'MIG001', message: 'routes becomes tools', offset }] };
}

function cannotChange(key: string, { node, sharedAs }: MainProperty): Plan {
  const why = sharedAs === undefined ? 'it is not a plain property' : `${sharedAs} is used for something else too`;
  return refused({ message: `${key} of main cannot be changed here: ${why}`, hint: byHand, offset: node.start });
}

function renameKey(text: string, { start, end, type }: AnyNode, shorthand: boolean): TextEdit {
  if (shorthand) return { start, end, text: 'tools: routes' };
  const quote = type === 'Identifier' ? '' : text.charAt(start);
  return { start, end, text: `${quote}tools${quote}` };
}

function raiseVersion(text: string, main: MainText, reader: LiteralReader): Plan {
  const plan: Plan = { edits: [], notes: [] };
  for (const property of main.propertiesNamed('version')) {
    const { node, sharedAs } = property;
    const version = readValue(node.value, reader);
    if (!isVersion2(version)) continue;
    if (sharedAs !== undefined) return cannotChange('version', property);
    const constant = main.constantUsedOnlyAt(node.value);
    const place = constant && isText(constant) ? constant : node.value;
    plan.edits.push(
      node.shorthand && place === node.value
        ? { start: node.start, end: node.end, text: "version: '3.0.0'" }
        : { start: place.start, end: place.end, text: quoted('3.0.0', isText(place) ? text.charAt(place.start) : "'") },
    );
    plan.notes.push({ code: 'MIG001', message: `version ${version} becomes 3.0.0`, offset: place.start });
  }
  return plan;
}

function readValue(node: AnyNode, reader: LiteralReader): unknown {
  try {
    return reader.readExpression(node);
  } catch {
    return undefined; // A computed version cannot be changed here.
  }
}

function isText(node: AnyNode): boolean {
  if (node.type === 'TemplateLiteral') return node.expressions.length === 0;
  return node.type === 'Literal' && typeof node.value === 'string';
}

function quoted(text: string, quote: string): string {
  return `${quote}${text}${quote}`;
}

/** Whether `main` is the same as before except for the two changes, as far as it can be read. */
function isSameButMigrated(before: ModuleAnalysis, after: ModuleAnalysis): boolean {
  const old = before.read('main');
  const now = after.read('main');
  if (old.status !== 'read') return old.status === now.status;
  return now.status === 'read' && isDeepStrictEqual(now.value, migrated(old.value));
}

function migrated(main: unknown): unknown {
  if (!isObject(main)) return main;
  const entries = Object.entries(main).map(([key, value]) => {
    if (key === 'version' && isVersion2(value)) return [key, '3.0.0'];
    return [key === 'routes' ? 'tools' : key, value];
  });
  return Object.fromEntries(entries);
}
