import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, isDeeperThan, isPlainObject, type PlainObject, textOrNull } from '../findings/plain-object.ts';

const CODES: Readonly<Record<'before' | 'after', readonly [Code, Code, Code]>> = {
  before: ['VAL-010', 'VAL-011', 'VAL-012'],
  after: ['VAL-013', 'VAL-014', 'VAL-015'],
};

/** Checks what `compare` was given; both snapshots are there if nothing is wrong. */
export function checkSnapshots(input: unknown): { findings: Finding[]; before?: PlainObject; after?: PlainObject } {
  const before = plainJson(read(input, 'before'));
  const after = plainJson(read(input, 'after'));
  const findings = [...snapshotFindings('before', before), ...snapshotFindings('after', after)];
  if (findings.length > 0 || !isPlainObject(before) || !isPlainObject(after)) return { findings };
  return { findings: pairFindings(before, after), before, after };
}

/** In place of what no file could hold. */
const NO_JSON = Symbol('no JSON');

/** Nothing that `start` returns is nested deeper, and what walks through snapshots cannot bear any depth. */
const MAX_DEPTH = 200;

/** A snapshot as a file would have it: without cycles, and numbers that JSON does not have. */
function plainJson(snapshot: unknown): unknown {
  if (typeof snapshot !== 'object' || snapshot === null) return snapshot;
  try {
    const plain: unknown = JSON.parse(JSON.stringify(snapshot));
    return isDeeperThan(plain, MAX_DEPTH) ? NO_JSON : plain;
  } catch {
    return NO_JSON;
  }
}

function read(input: unknown, name: string): unknown {
  try {
    return field(input, name);
  } catch {
    return NO_JSON;
  }
}

function snapshotFindings(name: 'before' | 'after', snapshot: unknown): Finding[] {
  const [missing, noObject, incomplete] = CODES[name];
  const location = `compare.${name}`;
  if (snapshot === undefined) return [finding(missing, location, 'Missing')];
  if (snapshot === NO_JSON) return [finding(noObject, location, 'Must be plain JSON, as `start` returned it')];
  if (!isPlainObject(snapshot)) return [finding(noObject, location, 'Must be an object')];
  const lacking = ['categories', 'entries'].filter((part) => !isPlainObject(field(snapshot, part)));
  return lacking.length === 0 ? [] : [finding(incomplete, location, `Lacks ${lacking.join(' and ')}`)];
}

function pairFindings(before: PlainObject, after: PlainObject): Finding[] {
  const read = (snapshot: PlainObject, name: string): string | null => textOrNull(field(snapshot.entries, name));
  const findings: Finding[] = [];
  const [oldEndpoint, newEndpoint] = [read(before, 'endpoint') ?? 'none', read(after, 'endpoint') ?? 'none'];
  if (oldEndpoint !== newEndpoint)
    findings.push(finding('CMP-001', 'compare.endpoint', `Different endpoints: ${oldEndpoint} and ${newEndpoint}`));
  const [oldTime, newTime] = [Date.parse(read(before, 'timestamp') ?? ''), Date.parse(read(after, 'timestamp') ?? '')];
  if (Number.isNaN(oldTime)) findings.push(finding('CMP-002', 'compare.before', 'No timestamp'));
  if (Number.isNaN(newTime)) findings.push(finding('CMP-002', 'compare.after', 'No timestamp'));
  if (newTime < oldTime) findings.push(finding('CMP-003', 'compare.timestamp', '`after` was taken before `before`'));
  return findings;
}
