import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOffer, type ServedTool, snapshotOffer } from '@schemakit/server';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readOffer, type StoredOffer, writeOffer } from './offer-file.ts';

const tools = ['getTide', 'getWäve'].map(
  (name): ServedTool => ({
    listing: {
      name,
      title: name,
      description: 'Line one\nline two\u2028',
      inputSchema: { type: 'object' },
      annotations: {
        title: name,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
    },
    aliases: [],
    namespace: 'tides',
    tags: ['sea'],
    toolName: name,
    requiredServerParams: ['KEY'],
    call: async () => ({ content: [] }),
  }),
);
const stored: StoredOffer = {
  fingerprint: '1 abc',
  snapshot: snapshotOffer(createOffer(tools), { pageSize: 1 }),
  groups: [['sea', ['getTide']]],
  requiredServerParams: ['KEY'],
  findings: [{ code: 'REF005', severity: 'warning', path: 'main', message: 'Two have this name' }],
};
const fingerprintOf = (offer: StoredOffer | undefined) => offer?.fingerprint;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-offer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'offers', 'one.jsonl');
  writeOffer(file, stored);
});

describe('an offer on disk', () => {
  test('is read as it was written, and nothing else is left behind', () => {
    expect(readOffer(file, '1 abc')).toEqual(stored);
    expect(readdirSync(join(folder, 'offers'))).toEqual(['one.jsonl']);
  });

  test('is none for another fingerprint', () => {
    expect(readOffer(file, '2 abc')).toBeUndefined();
  });

  test('is none in the form that it had before', () => {
    const { outline } = stored.snapshot;
    const others = {
      groups: [],
      findings: [],
      snapshot: { tools: tools.map(({ listing }) => ({ listing })), prompts: [] },
    };
    writeFileSync(file, JSON.stringify({ fingerprint: '1 abc', ...others }));
    expect(readOffer(file, '1 abc')).toBeUndefined();
    writeFileSync(file, `${JSON.stringify({ format: 1, fingerprint: '1 abc', outline })}\n`.repeat(6));
    expect(readOffer(file, '1 abc')).toBeUndefined();
  });

  test('is none where its end is missing, however much of it', () => {
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(file, whole.subarray(0, length));
      expect(fingerprintOf(readOffer(file, '1 abc'))).toBeUndefined();
    }
  });

  test('is none where any of it was changed', () => {
    const whole = readFileSync(file);
    const place = fc.integer({ min: 0, max: whole.length - 1 });
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (whole[at] ?? 0) ^ difference;
        writeFileSync(file, damaged);
        expect(fingerprintOf(readOffer(file, '1 abc'))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test('is written anew over what was damaged', () => {
    writeFileSync(file, 'damaged');
    writeOffer(file, stored);
    expect(readOffer(file, '1 abc')).toEqual(stored);
  });
});
