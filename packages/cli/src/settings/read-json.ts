/** A place in a text, from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

export type JsonReading =
  | {
      ok: true;
      value: unknown;
      /** The place of a value by its keys, or of the nearest one around it. */
      placeOf(...keys: readonly (string | number)[]): TextPlace;
    }
  | { ok: false; problem: string; place: TextPlace };

/** Reads JSON and keeps the places of its values, for messages. Never throws. */
export function readJson(text: string): JsonReading {
  const source = text.replace(/^\uFEFF/, '');
  const scanned = scan(source);
  if ('problem' in scanned) return { ok: false, problem: scanned.problem, place: placeAt(source, scanned.at) };
  return {
    ok: true,
    value: JSON.parse(source),
    placeOf(...keys) {
      for (let length = keys.length; length >= 0; length -= 1) {
        const at = scanned.places.get(JSON.stringify(keys.slice(0, length).map(String)));
        if (at !== undefined) return placeAt(source, at);
      }
      return { line: 1, column: 1 };
    },
  };
}

/** Whether a value is an object with keys, as JSON has them. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Scan = { places: Map<string, number> } | { problem: string; at: number };

const blank = /[ \t\r\n]*/y;
const atom =
  /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const maxDepth = 100;

/** The grammar of RFC 8259. `JSON.parse` does not say for every text where it goes wrong. */
function scan(text: string): Scan {
  const places = new Map<string, number>();
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
    if (next() !== character) throw new Misplaced(expected);
    at += 1;
  };
  const readValue = (keys: readonly string[]) => {
    if (keys.length > maxDepth) throw new Misplaced('less nesting');
    const first = next();
    places.set(JSON.stringify(keys), at);
    if (first === '{') readMembers(keys);
    else if (first === '[') readItems(keys);
    else if (skip(atom) === undefined) throw new Misplaced('a value');
  };
  const readMembers = (keys: readonly string[]) => {
    at += 1;
    if (next() === '}') return take('}', '');
    for (;;) {
      const key = next() === '"' ? skip(atom) : undefined;
      if (key === undefined) throw new Misplaced('a key in double quotes');
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
    if (next() !== '') throw new Misplaced('the end of the file');
    return { places };
  } catch (error) {
    if (!(error instanceof Misplaced)) throw error;
    const found = text.slice(at).match(/^(?:[\w$]{1,20}|.)/su)?.[0];
    const what = found === undefined ? 'the file ends' : `there is ${JSON.stringify(found)}`;
    return { problem: `${what} where ${error.message} is expected`, at };
  }
}

/** What was expected instead. */
class Misplaced extends Error {}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
