import { field } from '../findings/plain-object.ts';
import { type Check, patternOf } from '../json-schema/check.ts';
import type { Pattern } from '../json-schema/pattern.ts';
import type { Work } from '../json-schema/work.ts';
import { oneOfEachFormat, sampleFormat } from './sample-format.ts';
import { samplePatterns } from './sample-pattern.ts';
import type { Parts } from './schema-parts.ts';

const MAX_LENGTH = 10_000;
const MAX_PATTERNS = 8;
/** Texts of one pattern that are tried together with those of others, and with formats. */
const MAX_TOGETHER = 10;
const SERIES = 60;

const CANDIDATES = [
  'TEST',
  'Test',
  '1',
  '123',
  'a1',
  'Test-123_x@',
  '0x0000000000000000000000000000000000000001',
  ...oneOfEachFormat(),
];

interface Size {
  least: number;
  work: Work;
}

/** Texts that the formats, patterns and lengths of all parts may allow. */
export function* sampleTexts(parts: Parts, check: Check): Generator<string> {
  const numbers = (keyword: string): number[] =>
    parts.map((part) => field(part, keyword)).filter((value) => typeof value === 'number');
  const least = Math.min(Math.max(0, ...numbers('minLength')), MAX_LENGTH);
  const most = Math.min(...numbers('maxLength'), MAX_LENGTH);
  const formats = parts.map((part) => field(part, 'format')).flatMap((format) => sampleFormat(format, least));
  const patterns = parts
    .map((part) => field(part, 'pattern'))
    .filter((pattern) => typeof pattern === 'string')
    .slice(0, MAX_PATTERNS)
    .map((pattern) => patternOf(pattern, check))
    .filter((pattern) => pattern !== undefined);
  const plain = 'test'.padEnd(least, 'a').slice(0, Math.max(least, most));
  for (const text of [...formats, plain]) if (fits(text, least, most)) yield text;
  // What a pattern means may be what servers check beside it.
  if (patterns.length > 0) yield* CANDIDATES.filter((text) => fits(text, least, most));
  for (const text of together(patterns, formats[0] ?? 'test', { least, work: check.work }))
    yield* sized(text, least, most);
  for (let number = 1; number <= SERIES; number++) yield* series(number, least, most);
  for (const text of CANDIDATES) yield* sized(text, least, most);
}

function fits(text: string, least: number, most: number): boolean {
  const length = [...text].length;
  return length >= least && length <= most;
}

/** Texts for all patterns: of each alone, one after the other, and over a text that is valid for the rest. */
function* together(patterns: readonly Pattern[], valid: string, { least, work }: Size): Generator<string> {
  const inOrder = patterns.toSorted((one, other) => rank(one) - rank(other));
  const sources = inOrder.map((pattern) => samplePatterns(pattern, { least, work }));
  const firsts = sources.map((source) => Array.from({ length: MAX_TOGETHER }, () => source.next().value ?? ''));
  yield* firsts.flat();
  for (let index = 0; index < MAX_TOGETHER && patterns.length > 0; index++) {
    const pieces = firsts.map((texts) => texts[index]);
    const between = 'a'.repeat(Math.max(0, least - pieces.join('').length));
    const text = [pieces[0], between, ...pieces.slice(1)].join('');
    yield* [text, text + valid.slice(text.length), valid.slice(0, -text.length || undefined) + text];
    yield* [text + valid, valid + text, `test${text}`];
  }
  for (const source of sources) yield* source;
}

/** What begins the text first, what ends it last. */
function rank(pattern: Pattern): number {
  const places = pattern.kind === 'sequence' ? [pattern.parts[0], pattern.parts.at(-1)] : [];
  const [first, last] = places.map((part) => part?.kind === 'place' && part.at);
  return (first === 'start' ? 0 : 1) + (last === 'end' ? 1 : 0);
}

/** A text, filled up where it is too short. */
function* sized(text: string, least: number, most: number): Generator<string> {
  if (fits(text, least, most)) yield text;
  if (text.length >= least) return;
  yield* [text.padEnd(least, 'a'), text.padStart(least, 'a'), text.padEnd(least, ' '), text.padEnd(least, '1')];
}

/** Texts of one kind that differ, for lists without doubles. */
function* series(number: number, least: number, most: number): Generator<string> {
  const counted = `test${number}`;
  const letter = String.fromCharCode(96 + number);
  const text = counted.length <= most ? counted : letter;
  if (text.length <= most && (counted.length <= most || number <= 26)) yield text.padStart(least, 'a');
}
