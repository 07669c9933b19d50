import { createReadStream } from 'node:fs';
import { isRecord, parseJson } from '../../settings/parse-json.ts';

export interface Pair {
  key: string;
  text: string;
}

/** The input of a call: an object, or pairs whose values take the types of the parameters. */
export type Input =
  | { kind: 'object'; value: Record<string, unknown> }
  | { kind: 'pairs'; pairs: readonly Pair[] }
  | WrongInput;

export interface WrongInput {
  kind: 'wrong';
  problem: string;
  fix: string;
  isMissing?: true;
}

/** Larger than any request; a path such as `/dev/zero` never ends. */
const maxBytes = 16 * 1024 * 1024;

const oneObject = `Write one JSON object, such as '{"limit":5}'.`;

/** Reads the arguments of a call: one JSON object, `@<file>` or `-` with one in it, or `key=value` pairs. Default: none. */
export async function readInput(words: readonly string[]): Promise<Input> {
  const [first = '{}', ...more] = words;
  const isSource = first === '-' || first.startsWith('@');
  if (!isSource && !/^\s*[[{]/.test(first) && /^[^\s=]+=/.test(first)) return readPairs(words);
  if (more.length > 0) return wrong(`Too many arguments: ${more.join(' ')}.`, 'Quote the JSON as one argument.');
  if (!isSource) return readObject(first, 'Invalid JSON argument');
  const place = first === '-' ? 'standard input' : first.slice(1);
  try {
    const text = await textOf(first === '-' ? process.stdin : createReadStream(place));
    return readObject(text, `Invalid JSON in ${place}`);
  } catch (error) {
    const fix = 'Write @ and the path of a file that contains one JSON object.';
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { ...wrong(`There is no file ${place}.`, fix), isMissing: true };
    const reason = code === 'EISDIR' ? `${place} is a folder` : message;
    return wrong(`The input cannot be read: ${reason}.`, fix);
  }
}

function readPairs(words: readonly string[]): Input {
  const pairs: Pair[] = [];
  for (const word of words) {
    const [, key, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (key === undefined || text === undefined) {
      return wrong(`"${word}" is not key=value.`, 'Write key=value for each input, and quote values with spaces.');
    }
    pairs.push({ key, text });
  }
  return { kind: 'pairs', pairs };
}

function readObject(text: string, problem: string): Input {
  const reading = parseJson(text);
  if (!reading.ok) {
    const { line, column } = reading.position;
    const place = line === 1 ? `character ${column}` : `line ${line}, character ${column}`;
    return wrong(`${problem}: ${reading.problem} (${place}).`, `${oneObject} Or write key=value.`);
  }
  if (!isRecord(reading.value)) return wrong('The input must be a JSON object.', oneObject);
  return { kind: 'object', value: reading.value };
}

async function textOf(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    length += bytes.length;
    if (length > maxBytes) throw new Error(`it has more than ${maxBytes / 1024 / 1024} MiB`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function wrong(problem: string, fix: string): WrongInput {
  return { kind: 'wrong', problem, fix };
}
