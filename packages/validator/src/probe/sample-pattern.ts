/** Repetitions beyond this are cut; the text then simply does not match. */
const MAX_REPEAT = 200;
const MAX_NESTING = 30;

const CLASSES: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  n: '\n',
  t: '\t',
  r: '\r',
};

interface Reader {
  pattern: string;
  at: number;
  depth: number;
  /** How often `*`, `+` and `{n,}` repeat beyond what they must. */
  extra: number;
}

/**
 * A text that a simple pattern matches: literals, classes, groups, the first alternative, each repetition as often as it must. Undefined for what it does not
 * know (look-around, back-references). `least` is the length that the text should have.
 */
export function samplePattern(pattern: string, { least = 0 }: { least?: number } = {}): string | undefined {
  const short = read(pattern, 0);
  if (short === undefined || short.length >= least) return short;
  return read(pattern, Math.min(least, MAX_REPEAT)) ?? short;
}

function read(pattern: string, extra: number): string | undefined {
  const reader: Reader = { pattern, at: 0, depth: 0, extra };
  const text = readAlternatives(reader);
  return reader.at === pattern.length ? text : undefined;
}

function readAlternatives(reader: Reader): string | undefined {
  if (++reader.depth > MAX_NESTING) return undefined;
  const first = readSequence(reader);
  while (first !== undefined && reader.pattern[reader.at] === '|') {
    reader.at++;
    if (readSequence(reader) === undefined) return undefined;
  }
  reader.depth--;
  return first;
}

function readSequence(reader: Reader): string | undefined {
  let text = '';
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const unit = readUnit(reader);
    if (unit === undefined) return undefined;
    text += unit.repeat(readRepeat(reader));
    if (text.length > 10_000) return undefined;
  }
  return text;
}

function readUnit(reader: Reader): string | undefined {
  const character = reader.pattern[reader.at++];
  if (character === '^' || character === '$') return '';
  if (character === '.') return 'a';
  if (character === '[') return readClass(reader);
  if (character === '(') return readGroup(reader);
  return character === '\\' ? readEscape(reader) : character;
}

function readGroup(reader: Reader): string | undefined {
  const kind = /^\?(?::|<\w+>)/.exec(reader.pattern.slice(reader.at));
  if (kind) reader.at += kind[0].length;
  else if (reader.pattern[reader.at] === '?') return undefined;
  const text = readAlternatives(reader);
  return reader.pattern[reader.at++] === ')' ? text : undefined;
}

function readEscape(reader: Reader): string | undefined {
  const name = reader.pattern[reader.at++] ?? '';
  if (name === 'b' || name === 'B') return '';
  if (Object.hasOwn(CLASSES, name)) return CLASSES[name];
  return /[A-Za-z0-9]/.test(name) ? undefined : name;
}

/** The first member of a class; of one that excludes, the first of a few that is not in it. */
function readClass(reader: Reader): string | undefined {
  const source = /^\^?\]?(?:\\.|[^\]\\])*\]/.exec(reader.pattern.slice(reader.at))?.[0];
  if (source === undefined) return undefined;
  reader.at += source.length;
  const body = source.slice(0, -1);
  if (body.startsWith('^')) return [...'a1A-_ ~'].find((member) => !body.includes(member) && !covers(body, member));
  return body.startsWith('\\') ? readEscape({ ...reader, pattern: body, at: 1 }) : body[0];
}

function covers(body: string, member: string): boolean {
  const ranges = { '\\w': /\w/, '\\d': /\d/, '\\s': /\s/, 'a-z': /[a-z]/, 'A-Z': /[A-Z]/, '0-9': /\d/ };
  return Object.entries(ranges).some(([text, range]) => body.includes(text) && range.test(member));
}

function readRepeat(reader: Reader): number {
  const [text = '', simple, least, comma, most] =
    /^(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at)) ?? [];
  reader.at += text.length;
  if (text === '') return 1;
  if (simple !== undefined) return simple === '?' ? 0 : Math.max(simple === '+' ? 1 : 0, reader.extra);
  const from = Number(least);
  const to = comma === '' ? from : most === '' ? Infinity : Number(most);
  return Math.min(Math.max(from, Math.min(to, reader.extra)), MAX_REPEAT);
}
