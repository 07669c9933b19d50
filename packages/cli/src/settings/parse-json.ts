/** Line and column, from 1. */
export interface TextPosition {
  line: number;
  column: number;
}

export type ParsedJson =
  | {
      ok: true;
      value: unknown;
      /** The position of a value by its keys, or of the nearest value that contains it. */
      positionOf(...keys: readonly (string | number)[]): TextPosition;
    }
  | { ok: false; problem: string; position: TextPosition };

/** Parses JSON and records the position of each value, for messages. Never throws. */
export function parseJson(text: string): ParsedJson {
  const source = text.replace(/^\uFEFF/, '');
  const scanned = scan(source);
  if ('problem' in scanned) return { ok: false, problem: scanned.problem, position: positionAt(source, scanned.at) };
  return {
    ok: true,
    value: JSON.parse(source),
    positionOf(...keys) {
      for (let length = keys.length; length >= 0; length -= 1) {
        const at = scanned.offsets.get(JSON.stringify(keys.slice(0, length).map(String)));
        if (at !== undefined) return positionAt(source, at);
      }
      return { line: 1, column: 1 };
    },
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Scan = { offsets: Map<string, number> } | { problem: string; at: number };

const blank = /[ \t\r\n]*/y;
const atom =
  /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const maxDepth = 100;

/** The grammar of RFC 8259. `JSON.parse` does not give a position for every syntax error. */
function scan(text: string): Scan {
  const offsets = new Map<string, number>();
  let at = 0;
  const skip = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const next = () => {
    skip(blank);
    return text.charAt(at);
  };
  const take = (character: string, expected: string) => {
    if (next() !== character) throw new UnexpectedToken(expected);
    at += 1;
  };
  const readValue = (keys: readonly string[]) => {
    if (keys.length > maxDepth) throw new UnexpectedToken('less nesting');
    const first = next();
    offsets.set(JSON.stringify(keys), at);
    if (first === '{') readMembers(keys);
    else if (first === '[') readItems(keys);
    else if (skip(atom) === undefined) throw new UnexpectedToken('a value');
  };
  const readMembers = (keys: readonly string[]) => {
    at += 1;
    if (next() === '}') return take('}', '');
    for (;;) {
      const key = next() === '"' ? skip(atom) : undefined;
      if (key === undefined) throw new UnexpectedToken('a key in double quotes');
      take(':', 'a colon');
      readValue([...keys, JSON.parse(key) as string]);
      if (next() === '}') return take('}', '');
      take(',', 'a comma or }');
    }
  };
  const readItems = (keys: readonly string[]) => {
    at += 1;
    if (next() === ']') return take(']', '');
    for (let index = 0; ; index += 1) {
      readValue([...keys, String(index)]);
      if (next() === ']') return take(']', '');
      take(',', 'a comma or ]');
    }
  };
  try {
    readValue([]);
    if (next() !== '') throw new UnexpectedToken('the end of the file');
    return { offsets };
  } catch (error) {
    if (!(error instanceof UnexpectedToken)) throw error;
    const found = text.slice(at).match(/^(?:[\w$]{1,20}|.)/su)?.[0];
    const actual = found === undefined ? 'the end of the file' : JSON.stringify(found);
    return { problem: `expected ${error.message}, found ${actual}`, at };
  }
}

/** Its message is what was expected. */
class UnexpectedToken extends Error {}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
