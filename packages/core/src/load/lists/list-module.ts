import type { AnyNode } from 'acorn';
import { type ModuleText, offsetLocator } from '../../module/module-text.ts';
import { parseModule } from '../../module/parse-module.ts';
import { type ModuleReading, readModule } from '../../module/read-module.ts';
import { forEachPart } from '../../module/syntax-children.ts';
import type { Finding } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { collectFindings, createFindingList } from '../../schema/finding-list.ts';
import { hashForms } from '../../schema/hash.ts';
import { exportedData } from '../exported-data.ts';
import { contentCache, readModuleFile } from '../read-file.ts';
import { type ListData, readListData } from './list-data.ts';

/** The list of a file. Its data is frozen, since all schemas that name the list get the same. */
export interface ListModule extends ListData {
  file: string;
  /** The hashes by which a registry may note it: of the file's bytes, and of the list as JSON in both its forms. */
  hashes(): readonly string[];
  /** Line and column of a place in the file. */
  locate: ModuleReading['locate'];
}

export interface ListReading {
  /** Absent where a finding is an error that keeps the list from being used. */
  list?: ListModule;
  findings: readonly Finding[];
}

const cached = contentCache<Promise<ListReading>>(500);

/** Reads and checks the file of a shared list. A list that has to be computed is evaluated in the sandbox. */
export async function readListModule(file: string): Promise<ListReading> {
  const read = readModuleFile(file);
  return read.ok ? cached(read.source.hash, file, () => readList(read.source, file)) : { findings: [read.finding] };
}

async function readList(source: ModuleText, file: string): Promise<ListReading> {
  const reading = readModule(source, { file });
  const { value, findings: problems } = await readExport(reading, file);
  const code = findListCode(source, { file, isData: value !== undefined });
  const findings = [...reading.findings, ...code, ...problems];
  // What the scan refuses is not looked at any further.
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
      hashes ??= hashesOf(value, reading.hash);
      return hashes;
    },
    locate: reading.locate,
  };
  return { list: module, findings: list.toArray() };
}

async function readExport(reading: ModuleReading, file: string): Promise<{ value?: unknown; findings: Finding[] }> {
  const data = await exportedData(reading, 'list', { deterministic: true });
  const hint = 'Write export const list = { meta, entries } as literals and constants.';
  switch (data.status) {
    case 'read':
      return { value: data.value, findings: [] };
    case 'absent': {
      const found = reading.exports.length === 0 ? 'nothing' : reading.exports.join(', ');
      const message = `a list file exports list; ${file} exports ${found}`;
      return { findings: [{ ...ruleFinding('LST001', '', message, { hint }), file }] };
    }
    case 'function': {
      const finding = ruleFinding('LST001', 'list', 'list is a function', { hint });
      return { findings: [{ ...finding, file, ...reading.locate('list') }] };
    }
    case 'refused':
    case 'failed': {
      const { reason, line, column } = data;
      const why = data.status === 'failed' ? `, and running it failed: ${data.why}` : '';
      const message = `the shared list cannot be read without running its file: ${reason}${why}`;
      return { findings: [{ ...ruleFinding('SEC204', 'list', message, { hint }), file, line, column }] };
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

const kinds: Readonly<Record<CodeKind, string>> = {
  SEC200: 'a function',
  SEC201: 'an arrow function',
  SEC202: 'async or await',
  SEC203: 'a template with expressions',
};

/** Without any of these in its text, a file holds no code of these kinds. With one, it may. */
const traces = /=>|\)\s*\{|\bfunction\b|\basync\b|\bawait\b|\$\{|`/;

/**
 * Finds code in the file of a shared list: of each kind the first one.
 *
 * @param isData - Whether the list could be read all the same. What can be read is data, so code is then a warning.
 */
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
    const finding = ruleFinding(code, '', `the file of a shared list has ${kinds[code]}`, {
      severity: isData ? 'warning' : 'error',
      hint: 'A list is data: write its values out.',
    });
    return { ...finding, file, ...position(offset) };
  });
}

function kindOf(node: AnyNode): CodeKind | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return node.async ? 'SEC202' : 'SEC200';
    case 'ArrowFunctionExpression':
      return node.async ? 'SEC202' : 'SEC201';
    case 'AwaitExpression':
      return 'SEC202';
    case 'ForOfStatement':
      return node.await ? 'SEC202' : undefined;
    case 'TaggedTemplateExpression':
      return 'SEC203';
    case 'TemplateLiteral':
      return node.expressions.length > 0 ? 'SEC203' : undefined;
    default:
      return undefined;
  }
}
