import type { Pattern } from '../json-schema/pattern.ts';
import { spend, type Work } from '../json-schema/work.ts';

const MAX_TEXT = 10_000;
const RANDOM_ROUNDS = 120;
/** Plain characters before all others: these stand for what most sets are about. */
const PLAIN = 'aA1-0_. zZ9bB2@';
const PRINTABLE = `${PLAIN + Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')}\n\t\r`;
/** The rest of the basic plane up to the signs of CJK, some ideographs and the common pictographs, for sets without ASCII. */
const FURTHER: readonly (readonly [from: number, to: number])[] = [
  [0x1f600, 0x1f640],
  [0x80, 0x3400],
  [0x4e00, 0x4e20],
  [0xac00, 0xac20],
];
const MAX_MEMBERS = 110;

/** How one text is written: which way each choice goes. */
interface Draw {
  /** One of as many. */
  pick: (count: number) => number;
  /** How often what may repeat is repeated, where it may; `level` is the number of repeats around it. */
  extra: (level: number) => number;
  member: (members: readonly string[]) => string;
  /** What looks ahead is written over what follows, or before it. */
  isOver: boolean;
  groups: Map<string, string>;
  level: number;
  /** Characters that may still be written. */
  left: number;
}

const membersOf = new WeakMap<Pattern, readonly string[]>();

/**
 * Texts that a pattern is likely to match, the plainest first, the same on each run: what looks ahead is written into what follows. Which of them match is
 * for the check. `least` is the length that the texts should have; each takes steps by its length.
 */
export function* samplePatterns(pattern: Pattern, { least, work }: { least: number; work: Work }): Generator<string> {
  const first = (): number => 0;
  const last = (count: number): number => count - 1;
  const plain = (members: readonly string[]): string => members[0] ?? '';
  for (const pick of [first, last]) {
    for (const isOver of [true, false]) {
      for (const extra of new Set([0, least]))
        if (spend(work))
          yield* written(pattern, work, { pick, member: plain, extra: (level) => (level === 0 ? extra : 0), isOver });
    }
  }
  const random = randomNumbers();
  const member = (members: readonly string[]): string =>
    members[random(random(2) === 0 ? Math.min(4, members.length) : members.length)] ?? '';
  for (let round = 0; round < RANDOM_ROUNDS; round++) {
    const most = [1, 3, 8, least][round % 4] ?? 0;
    if (spend(work))
      yield* written(pattern, work, {
        pick: random,
        member,
        extra: (level) => random((level === 0 ? most : Math.min(most, 3)) + 1),
        isOver: round % 2 === 0,
      });
  }
}

function* written(
  pattern: Pattern,
  work: Work,
  how: Pick<Draw, 'pick' | 'extra' | 'member' | 'isOver'>,
): Generator<string> {
  const draw: Draw = { ...how, groups: new Map(), level: 0, left: MAX_TEXT };
  const text = write(pattern, draw);
  if (spend(work, (MAX_TEXT - draw.left) / 20) && draw.left >= 0) yield text;
}

function write(pattern: Pattern, draw: Draw): string {
  if (draw.left < 0) return '';
  switch (pattern.kind) {
    case 'set':
      draw.left--;
      return draw.member(members(pattern));
    case 'sequence':
      return writeSequence(pattern.parts, draw);
    case 'choice': {
      const option = pattern.options[draw.pick(pattern.options.length)];
      return option === undefined ? '' : write(option, draw);
    }
    case 'repeat':
      return writeRepeat(pattern, draw);
    case 'group': {
      const text = write(pattern.of, draw);
      for (const name of pattern.names) draw.groups.set(name, text);
      return text;
    }
    case 'reference':
      return draw.groups.get(pattern.to) ?? '';
    case 'look':
      return pattern.isNegative ? '' : write(pattern.of, draw);
    case 'place':
      return '';
  }
}

function writeSequence(parts: readonly Pattern[], draw: Draw): string {
  let text = '';
  let ahead = '';
  let from: number | undefined;
  for (const part of parts) {
    const written = write(part, draw);
    if (part.kind === 'look' && part.isAhead) {
      from ??= text.length;
      ahead += written;
    } else text += written;
  }
  if (from === undefined) return text;
  return text.slice(0, from) + ahead + text.slice(draw.isOver ? from + ahead.length : from);
}

function writeRepeat({ of, least, most }: Pattern & { kind: 'repeat' }, draw: Draw): string {
  const count = Math.max(least, Math.min(most, draw.extra(draw.level)));
  let text = '';
  draw.level++;
  for (let done = 0; done < count && draw.left >= 0; done++, draw.left--) text += write(of, draw);
  draw.level--;
  return text;
}

function members(set: Pattern & { kind: 'set' }): readonly string[] {
  const known = membersOf.get(set);
  if (known !== undefined) return known;
  const found = [...new Set(PRINTABLE)].filter(set.has);
  for (const [from, to] of found.length > 0 ? [] : FURTHER) {
    for (let code = from; code < to && found.length < MAX_MEMBERS; code++) {
      const character = String.fromCodePoint(code);
      if (set.has(character)) found.push(character);
    }
  }
  membersOf.set(set, found);
  return found;
}

/** Numbers below a limit that are the same on each run. */
function randomNumbers(): (below: number) => number {
  let seed = 7;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}
