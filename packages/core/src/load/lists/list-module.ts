import type { AnyNode } from 'acorn';
import { analyzeModule, type ModuleAnalysis } from '../../module/analyze-module.ts';
import { type ModuleText, offsetLocator } from '../../module/module-text.ts';
import { parseModule } from '../../module/parse-module.ts';
import { forEachPart, isFunction } from '../../module/syntax-children.ts';
import type { Finding } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { collectFindings, createFindingList } from '../../schema/finding-list.ts';
import { hashForms } from '../../schema/hash.ts';
import { exportedData } from '../exported-data.ts';
import { contentCache, readModuleFile } from '../read-file.ts';
import { type ListData, readListData } from './list-data.ts';

/** A list with its file. The data is frozen, since schemas share it. */
export interface ListModule extends ListData {
  file: string;
  /** The hashes that a registry may have: of the file's bytes, and of the list in both JSON forms. */
  hashes(): readonly string[];
  locate: ModuleAnalysis['locate'];
}

export interface ListModuleResult {
  /** Absent if errors make the list unusable. */
  list?: ListModule;
  findings: readonly Finding[];
}

const cached = contentCache<Promise<ListModuleResult>>({ maxEntries: 500, maxBytes: 32 * 1024 * 1024 });

/** Reads and checks the file of a shared list. A list that has to be computed is evaluated in the sandbox. */
export async function readListModule(file: string): Promise<ListModuleResult> {
  const read = readModuleFile(file);
  return read.ok ? cached(read.source, file, () => readList(read.source, file)) : { findings: [read.finding] };
}

async function readList(source: ModuleText, file: string): Promise<ListModuleResult> {
  const reading = analyzeModule(source, { file });
  const { value, findings: problems } = await readExport(reading, file);
  const code = findListCode(source, { file, isData: value !== undefined });
  const findings = [...reading.findings, ...code, ...problems];
  if (value === undefined || reading.findings.some(({ severity }) => severity === 'error')) return { findings };
  const list = createFindingList();
  findings.forEach(list.add);
  const add = (finding: Finding) =>
    list.addOf(finding.severity, () => ({ ...finding, file, ...reading.locate(finding.path) }));
  const data = collectFindings({ add }, (report) => readListData(value, report));
  if (data === undefined) return { findings: list.toArray() };
  let hashes: readonly string[] | undefined;
  const module: ListModule = {
    ...freezeDeep(data),
    file,
    hashes: () => {
      hashes ??= hashesOf(value, source.hash);
      return hashes;
    },
    locate: reading.locate,
  };
  return { list: module, findings: list.toArray() };
}

async function readExport(reading: ModuleAnalysis, file: string): Promise<{ value?: unknown; findings: Finding[] }> {
  const data = await exportedData(reading, 'list', { deterministic: true });
  const hint = 'Write export const list = { meta, entries } as literals and constants.';
  switch (data.status) {
    case 'read':
      return { value: data.value, findings: [] };
    case 'absent': {
      const found = reading.exports.length === 0 ? 'nothing' : reading.exports.join(', ');
      const message = `a list file exports list; ${file} exports ${found}`;
      return { findings: [{ ...ruleFinding('LST001', '', message, hint), file }] };
    }
    case 'function': {
      const finding = ruleFinding('LST001', 'list', 'list is a function', hint);
      return { findings: [{ ...finding, file, ...reading.locate('list') }] };
    }
    case 'refused':
    case 'failed': {
      const { reason, line, column } = data;
      const why = data.status === 'failed' ? `, and running it failed: ${data.why}` : '';
      const message = `the shared list cannot be read without running its file: ${reason}${why}`;
      return { findings: [{ ...ruleFinding('SEC204', 'list', message, hint), file, line, column }] };
    }
    case 'invalid':
      return { findings: [...data.findings] };
  }
}

function hashesOf(list: unknown, ofFile: string): readonly string[] {
  const { canonical, plain } = hashForms({ list });
  return [`sha256:${ofFile}`, canonical, plain].filter((hash) => hash !== null);
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeep(part);
  return value;
}

type CodeKind = 'SEC200' | 'SEC201' | 'SEC202' | 'SEC203';

const descriptions: Readonly<Record<CodeKind, string>> = {
  SEC200: 'a function',
  SEC201: 'an arrow function',
  SEC202: 'async or await',
  SEC203: 'a template with expressions',
};

const kinds: Readonly<Partial<Record<AnyNode['type'], CodeKind>>> = {
  FunctionDeclaration: 'SEC200',
  FunctionExpression: 'SEC200',
  ArrowFunctionExpression: 'SEC201',
  AwaitExpression: 'SEC202',
  TaggedTemplateExpression: 'SEC203',
};

/** A quick check: text without any of these has no such code. */
const traces = /=>|\)\s*\{|\bfunction\b|\basync\b|\bawait\b|\$\{|`/;

/** The first code of each kind in a list file; only a warning if the list could be read without running it (`isData`). */
function findListCode({ text }: ModuleText, { file, isData }: { file: string; isData: boolean }): Finding[] {
  if (!traces.test(text)) return [];
  const parsed = parseModule(text);
  if (parsed.status === 'failed') return [];
  const position = offsetLocator(text);
  const places = new Map<CodeKind, number>();
  const visit = (node: AnyNode): void => {
    const kind = kindOf(node);
    if (kind !== undefined && !places.has(kind)) places.set(kind, node.start);
    forEachPart(node, visit);
  };
  visit(parsed.program);
  return [...places].map(([code, offset]) => {
    const finding = ruleFinding(code, '', `the file of a shared list has ${descriptions[code]}`, {
      severity: isData ? 'warning' : 'error',
      hint: 'A list is data: write its values out.',
    });
    return { ...finding, file, ...position(offset) };
  });
}

function kindOf(node: AnyNode): CodeKind | undefined {
  if (isFunction(node) && node.async) return 'SEC202';
  if (node.type === 'ForOfStatement') return node.await ? 'SEC202' : undefined;
  if (node.type === 'TemplateLiteral') return node.expressions.length > 0 ? 'SEC203' : undefined;
  return kinds[node.type];
}
