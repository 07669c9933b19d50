import type { Finding } from '../format/finding.ts';
import { createFindingList, readWithin } from '../format/finding-list.ts';
import { hashForms } from '../format/hash.ts';
import { listFinding } from '../format/list-codes.ts';
import { contentCache } from './content-cache.ts';
import { findListCode } from './list-code.ts';
import { type ListData, readListData } from './list-data.ts';
import type { ModuleText } from './module-text.ts';
import { readModuleFile } from './read-file.ts';
import { type ModuleReading, readModule } from './read-module.ts';

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

const cached = contentCache<ListReading>(500);

/** Reads and checks the file of a shared list, without running it. */
export function readListModule(file: string): ListReading {
  const read = readModuleFile(file);
  return read.ok ? cached(read.source.hash, file, () => readList(read.source, file)) : { findings: [read.finding] };
}

function readList(source: ModuleText, file: string): ListReading {
  const reading = readModule(source, { file });
  const { value, findings: problems } = readExport(reading, file);
  const code = findListCode(source, { file, isData: value !== undefined });
  const findings = [...reading.findings, ...code, ...problems];
  // What the scan refuses is not looked at any further.
  if (value === undefined || reading.findings.some(({ severity }) => severity === 'error')) return { findings };
  const list = createFindingList();
  findings.forEach(list.add);
  const add = (finding: Finding) =>
    list.addOf(finding.severity, () => ({ ...finding, file, ...reading.locate(finding.path) }));
  const data = readWithin({ add }, (report) => readListData(value, report));
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

function readExport(reading: ModuleReading, file: string): { value?: unknown; findings: Finding[] } {
  const read = reading.read('list');
  const hint = 'Write export const list = { meta, entries } as literals and constants.';
  switch (read.status) {
    case 'read':
      return { value: read.value, findings: [] };
    case 'absent': {
      const found = reading.exports.length === 0 ? 'nothing' : reading.exports.join(', ');
      return {
        findings: [
          { ...listFinding('LST001', '', `a list file exports list; ${file} exports ${found}`, { hint }), file },
        ],
      };
    }
    case 'function':
      return {
        findings: [
          { ...listFinding('LST001', 'list', 'list is a function', { hint }), file, ...reading.locate('list') },
        ],
      };
    case 'needs-evaluation': {
      const { reason, line, column } = read;
      const message = `the shared list cannot be read without running its file: ${reason}`;
      return { findings: [{ ...listFinding('SEC204', 'list', message, { hint }), file, line, column }] };
    }
    case 'invalid':
      // A file that could not be parsed says so in its own findings.
      return { findings: read.findings.filter((finding) => !reading.findings.includes(finding)) };
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
