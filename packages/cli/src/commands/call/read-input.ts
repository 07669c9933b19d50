import { createReadStream } from 'node:fs';
import { failed, type Refused, refused } from '../../output/command-result.ts';
import { isRecord, parseJson } from '../../settings/parse-json.ts';

export interface Pair {
  key: string;
  text: string;
  /** The file that the text comes from, for `key=@<file>`. */
  file?: { path: string; bytes: Buffer };
}

/** The input of a call: an object, or pairs whose values take the types of the parameters, with the object of a file as `base`. */
export type Input = { kind: 'object'; value: Record<string, unknown> } | Pairs;

interface Pairs {
  kind: 'pairs';
  pairs: readonly Pair[];
  base: Readonly<Record<string, unknown>>;
}

/** Larger than any request; a path such as `/dev/zero` never ends. */
const maxBytes = 16 * 1024 * 1024;

const oneObject = `Write one JSON object, such as '{"limit":5}'.`;

/**
 * Reads the arguments of a call: one JSON object, or `@<file>` or `-` with one in it, or `key=value` pairs, which override those of
 * a file. Default: none.
 */
export async function readInput(words: readonly string[]): Promise<Input | Refused> {
  const sources = words.filter(isSource);
  const others = words.filter((word) => !isSource(word));
  const [source, another] = sources;
  if (source === undefined) {
    const [first = '{}', ...more] = others;
    if (!/^\s*[[{]/.test(first) && /^[^\s=]+=/.test(first)) return readPairs(words);
    if (more.length === 0) return readObject(first, 'Invalid JSON argument');
    return refused(`Too many arguments: ${more.join(' ')}.`, `Quote the JSON as one argument. ${combinable}`);
  }
  if (another !== undefined) return refused(`${source} and ${another} cannot be combined.`, combinable);
  const fields = await readPairs(others);
  if ('result' in fields) return fields;
  const whole = await readSource(source);
  return 'value' in whole && others.length > 0 ? { ...fields, base: whole.value } : whole;
}

const combinable = 'One file, or - for standard input, can be combined with key=value; JSON as an argument cannot.';

function isSource(word: string): boolean {
  return word === '-' || word.startsWith('@');
}

async function readSource(source: string): Promise<Exclude<Input, Pairs> | Refused> {
  const place = source === '-' ? 'standard input' : source.slice(1);
  try {
    const bytes = await bytesOf(source === '-' ? process.stdin : createReadStream(place));
    return readObject(bytes.toString('utf8'), `Invalid JSON in ${place}`);
  } catch (error) {
    return unreadable(error, {
      ...{ place, what: 'The input' },
      fix: 'Write @ and the path of a file that contains one JSON object.',
    });
  }
}

function unreadable(error: unknown, { place, what, fix }: { place: string; what: string; fix: string }): Refused {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { ok: false, result: failed('notFound', { error: `There is no file ${place}.`, fix }) };
  return refused(`${what} cannot be read: ${code === 'EISDIR' ? `${place} is a folder` : message}.`, fix);
}

async function readPairs(words: readonly string[]): Promise<Pairs | Refused> {
  const pairs: Pair[] = [];
  for (const word of words) {
    const [, key, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (key === undefined || text === undefined || /^\s*[[{]/.test(word)) {
      const fix = /^\s*[[{]/.test(word) ? combinable : 'Write key=value for each input, and quote values with spaces.';
      return refused(`"${word}" is not key=value.`, fix);
    }
    if (text.startsWith('@@') || !text.startsWith('@')) {
      pairs.push({ key, text: text.replace(/^@@/, '@') });
      continue;
    }
    const path = text.slice(1);
    const fix = `${key}=@<file> reads a file. For a value that begins with @, write ${key}=@${text}`;
    if (path === '') return refused(`${key}=@ names no file.`, fix);
    try {
      const bytes = await bytesOf(createReadStream(path));
      pairs.push({ key, text: bytes.toString('utf8'), file: { path, bytes } });
    } catch (error) {
      return unreadable(error, { place: path, what: key, fix });
    }
  }
  return { kind: 'pairs', pairs, base: {} };
}

function readObject(text: string, problem: string): Exclude<Input, Pairs> | Refused {
  const reading = parseJson(text);
  if (!reading.ok) {
    const { line, column } = reading.position;
    const place = line === 1 ? `character ${column}` : `line ${line}, character ${column}`;
    return refused(`${problem}: ${reading.problem} (${place}).`, `${oneObject} Or write key=value.`);
  }
  if (!isRecord(reading.value)) return refused('The input must be a JSON object.', oneObject);
  return { kind: 'object', value: reading.value };
}

async function bytesOf(stream: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    length += bytes.length;
    if (length > maxBytes) throw new Error(`it has more than ${maxBytes / 1024 / 1024} MiB`);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
