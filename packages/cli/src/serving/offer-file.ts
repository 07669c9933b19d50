import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { OfferSnapshot } from '@schemakit/server';

/** What a server offered when it was loaded last, on disk: later ones start without loading anything. */
export interface StoredOffer {
  /** Of everything that the offer depends on. */
  fingerprint: string;
  snapshot: OfferSnapshot;
  groups: readonly (readonly [name: string, tools: readonly string[]])[];
  /** What was found wrong, to be said again at each start. */
  findings: readonly Finding[];
}

/** Reads the offer of a file; undefined where there is none for this fingerprint. What cannot be read is as if it were not there. */
export function readOffer(file: string, fingerprint: string): StoredOffer | undefined {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as StoredOffer;
    return stored.fingerprint === fingerprint ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Writes an offer. Where that fails, the next server loads its schemas again. */
export function writeOffer(file: string, offer: StoredOffer): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Another process may read it meanwhile.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(offer), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // A folder that cannot be written is no reason not to serve.
  }
}
