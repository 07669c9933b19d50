/** A pattern, read: what generates texts for it and what matches it walk over this tree. */
export type Pattern =
  /** One character of a set; `source` is how the pattern writes it. */
  | { kind: 'set'; source: string; has: (character: string) => boolean }
  | { kind: 'sequence'; parts: Pattern[] }
  | { kind: 'choice'; options: Pattern[] }
  | { kind: 'repeat'; of: Pattern; least: number; most: number }
  | { kind: 'group'; names: string[]; of: Pattern }
  | { kind: 'reference'; to: string }
  | { kind: 'look'; isAhead: boolean; isNegative: boolean; of: Pattern }
  | { kind: 'place'; at: 'start' | 'end' | 'boundary' | 'no boundary' };

/** Longer patterns are not read. */
const MAX_LENGTH = 4_000;
const MAX_NESTING = 40;

const PLACES = {
  '^': 'start',
  $: 'end',
  '\\b': 'boundary',
  '\\B': 'no boundary',
  '\\A': 'start',
  '\\Z': 'end',
} as const;
const CLASS = /^\[(?:\\[\s\S]|[^\]\\])*\]/;
const ESCAPE = /^\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[\s\S])/u;
const GROUP = /^\((?:\?(?:(?<plain>:)|(?<look><?[=!])|P?<(?<name>\w+)>))?/;
const REFERENCE = /^\\(?:([1-9]\d?)|k<(\w+)>)/;
const REPEAT = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})[?+]?/;

interface Reader {
  rest: string;
  depth: number;
  groups: number;
  flags: string;
}

/** Reads a pattern of ECMAScript, and the few things that Python writes otherwise; undefined where it cannot be read. */
export function readPattern(text: string): Pattern | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const flags = /^\^?\(\?i\)/.test(text) ? 'i' : '';
  const reader: Reader = { rest: text.replace(/^(\^?)\(\?i\)/, '$1'), depth: 0, groups: 0, flags };
  const pattern = readChoice(reader);
  return reader.rest === '' ? pattern : undefined;
}

/** True if a part of the pattern refers to what a group has matched. */
export function hasReferences(pattern: Pattern): boolean {
  if (pattern.kind === 'reference') return true;
  return childrenOf(pattern).some(hasReferences);
}

function childrenOf(pattern: Pattern): readonly Pattern[] {
  if (pattern.kind === 'sequence') return pattern.parts;
  if (pattern.kind === 'choice') return pattern.options;
  return 'of' in pattern ? [pattern.of] : [];
}

function readChoice(reader: Reader): Pattern | undefined {
  if (++reader.depth > MAX_NESTING) return undefined;
  const options: Pattern[] = [];
  do {
    const option = readSequence(reader);
    if (option === undefined) return undefined;
    options.push(option);
  } while (take(reader, /^\|/) !== undefined);
  reader.depth--;
  return options.length === 1 ? options[0] : { kind: 'choice', options };
}

function readSequence(reader: Reader): Pattern | undefined {
  const parts: Pattern[] = [];
  while (reader.rest !== '' && !/^[|)]/.test(reader.rest)) {
    const unit = readUnit(reader);
    if (unit === undefined) return undefined;
    parts.push(readRepeat(reader, unit));
  }
  return { kind: 'sequence', parts };
}

function readUnit(reader: Reader): Pattern | undefined {
  const group = take(reader, GROUP);
  if (group !== undefined) return readGroup(reader, group);
  const reference = take(reader, REFERENCE);
  if (reference !== undefined) return { kind: 'reference', to: reference[1] ?? reference[2] ?? '' };
  const place = take(reader, /^(?:[$^]|\\[bBAZ])/)?.[0];
  if (place !== undefined) return { kind: 'place', at: PLACES[place as keyof typeof PLACES] };
  const source = (take(reader, CLASS) ?? take(reader, ESCAPE) ?? take(reader, /^[^[\\*+?]/u))?.[0];
  return source === undefined ? undefined : setOf(source, reader.flags);
}

function readGroup(reader: Reader, { groups }: RegExpMatchArray): Pattern | undefined {
  if (groups?.plain === undefined && groups?.look === undefined && reader.rest.startsWith('?')) return undefined;
  const isCapturing = groups?.plain === undefined && groups?.look === undefined;
  const names = isCapturing ? [String(++reader.groups), ...(groups?.name === undefined ? [] : [groups.name])] : [];
  const of = readChoice(reader);
  if (of === undefined || take(reader, /^\)/) === undefined) return undefined;
  if (groups?.look !== undefined) {
    return { kind: 'look', isAhead: !groups.look.startsWith('<'), isNegative: groups.look.endsWith('!'), of };
  }
  return isCapturing ? { kind: 'group', names, of } : of;
}

function readRepeat(reader: Reader, of: Pattern): Pattern {
  const found = take(reader, REPEAT);
  if (found === undefined) return of;
  const [, simple, least, comma, most] = found;
  if (simple !== undefined)
    return { kind: 'repeat', of, least: simple === '+' ? 1 : 0, most: simple === '?' ? 1 : Infinity };
  return {
    kind: 'repeat',
    of,
    least: Number(least),
    most: comma === '' ? Number(least) : most === '' ? Infinity : Number(most),
  };
}

/** A set is asked about one character at a time, so that the runtime's own engine has nothing to go back over. */
function setOf(source: string, flags: string): Pattern | undefined {
  if (!/^[.[\\]/.test(source) && flags === '') return { kind: 'set', source, has: (character) => character === source };
  for (const mode of ['u', '']) {
    try {
      const set = new RegExp(
        `^${/^[.[\\]/.test(source) ? source : `\\u{${source.codePointAt(0)?.toString(16)}}`}$`,
        flags + mode,
      );
      return { kind: 'set', source, has: (character) => set.test(character) };
    } catch {
      // Read the loose way, as programs without the flag do; what is wrong in both ways is no set.
    }
  }
  return undefined;
}

function take(reader: Reader, what: RegExp): RegExpMatchArray | undefined {
  const found = what.exec(reader.rest);
  if (found === null) return undefined;
  reader.rest = reader.rest.slice(found[0].length);
  return found;
}
