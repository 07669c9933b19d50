import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { OfferSnapshot } from '@schemakit/server';
import { makeFolder } from '../make-folder.ts';

/** What a server offered when it was loaded last, on disk: later ones start without loading anything. */
export interface StoredOffer {
  /** Of everything that the offer depends on. */
  fingerprint: string;
  snapshot: OfferSnapshot;
  groups: readonly (readonly [name: string, tools: readonly string[]])[];
  /** Names of all server parameters that tools of it need. */
  requiredServerParams: readonly string[];
  /** What was found wrong, to be said again at each start. */
  findings: readonly Finding[];
}

/** All of it that a start reads. */
interface Head extends Omit<StoredOffer, 'snapshot'> {
  format: number;
  outline: OfferSnapshot['outline'];
}

/** Counts how the file is built. */
const format = 2;
const lineEnd = 10;

/**
 * Reads the offer of a file; undefined where there is none for this fingerprint. What was damaged is as if it were not there: its
 * pages are sent without being looked at, so all of it has to be what was written.
 */
export function readOffer(file: string, fingerprint: string): StoredOffer | undefined {
  try {
    const bytes = readFileSync(file);
    const [first, ...lines] = linesOf(bytes);
    const [rows, index, digest] = lines.splice(-3);
    if (first === undefined || rows === undefined || index === undefined || digest === undefined) return undefined;
    const { format: found, outline, ...head } = JSON.parse(first.toString()) as Head;
    if (found !== format || head.fingerprint !== fingerprint) return undefined;
    if (digestOf(bytes.subarray(0, bytes.length - digest.length - 1)) !== digest.toString()) return undefined;
    return { ...head, snapshot: { outline, pages: lines, rows, index } };
  } catch {
    return undefined;
  }
}

/** Writes an offer. Where that fails, the next server loads its schemas again. */
export function writeOffer(file: string, { snapshot: { outline, pages, rows, index }, ...offer }: StoredOffer): void {
  try {
    makeFolder(dirname(file));
    const head: Head = { format, ...offer, outline };
    const end = Buffer.from([lineEnd]);
    const bytes = Buffer.concat(
      [JSON.stringify(head), ...pages, rows, index].flatMap((line) => [Buffer.from(line), end]),
    );
    // Another process may read it meanwhile.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([bytes, Buffer.from(digestOf(bytes)), end]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // A folder that cannot be written is no reason not to serve.
  }
}

/** Lines without their ends. What stands after the last end is none. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
