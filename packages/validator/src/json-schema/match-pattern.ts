import { hasReferences, type Pattern } from './pattern.ts';
import { spend, type Work } from './work.ts';

/** A place in the text that a part of the pattern may have come to, with what groups have matched where that counts. */
interface State {
  at: number;
  groups: Readonly<Record<string, string>>;
}

interface Match {
  characters: readonly string[];
  work: Work;
  keepsGroups: boolean;
}

/**
 * True if the pattern is found anywhere in the text. All ways through the pattern are walked at once, so that no pattern takes exponential time; what
 * takes more work than there is does not match.
 */
export function matchesPattern(pattern: Pattern, text: string, work: Work): boolean {
  const match: Match = { characters: [...text], work, keepsGroups: hasReferences(pattern) };
  const isAnchored = pattern.kind === 'sequence' && isStart(pattern.parts[0]);
  const starts = Array.from({ length: isAnchored ? 1 : match.characters.length + 1 }, (_, at) => ({ at, groups: {} }));
  return advance(pattern, starts, match).length > 0;
}

function isStart(pattern: Pattern | undefined): boolean {
  return pattern?.kind === 'place' && pattern.at === 'start';
}

/** The places to which a pattern leads from some places. */
function advance(pattern: Pattern, from: readonly State[], match: Match): readonly State[] {
  if (from.length === 0 || !spend(match.work, from.length * (match.keepsGroups ? 10 : 1))) return [];
  switch (pattern.kind) {
    case 'set':
      return from
        .filter(({ at }) => at < match.characters.length && pattern.has(match.characters[at] ?? ''))
        .map(({ at, groups }) => ({ at: at + 1, groups }));
    case 'sequence':
      return pattern.parts.reduce((states, part) => advance(part, states, match), from);
    case 'choice':
      return distinct(pattern.options.flatMap((option) => advance(option, from, match)));
    case 'repeat':
      return repeat(pattern, from, match);
    case 'group':
      return match.keepsGroups ? keep(pattern, from, match) : advance(pattern.of, from, match);
    case 'reference':
      return from.flatMap((state) => refer(state, pattern.to, match));
    case 'look':
      return from.filter((state) => looks(pattern, state, match) !== pattern.isNegative);
    case 'place':
      return from.filter(({ at }) => isPlace(pattern.at, at, match.characters));
  }
}

function repeat(pattern: Pattern & { kind: 'repeat' }, from: readonly State[], match: Match): readonly State[] {
  let current = from;
  for (let count = 0; count < pattern.least; count++) {
    current = advance(pattern.of, current, match);
    if (current.length === 0) return [];
  }
  const seen = new Map(current.map((state) => [keyOf(state), state]));
  for (let count = pattern.least; count < pattern.most && current.length > 0; count++) {
    current = advance(pattern.of, current, match).filter((state) => !seen.has(keyOf(state)));
    for (const state of current) seen.set(keyOf(state), state);
  }
  return [...seen.values()];
}

function keep({ names, of }: Pattern & { kind: 'group' }, from: readonly State[], match: Match): readonly State[] {
  return from.flatMap((start) =>
    advance(of, [start], match).map(({ at, groups }) => {
      const text = match.characters.slice(start.at, at).join('');
      return { at, groups: { ...groups, ...Object.fromEntries(names.map((name) => [name, text])) } };
    }),
  );
}

function refer({ at, groups }: State, to: string, { characters, work }: Match): State[] {
  const text = [...(groups[to] ?? '')];
  if (!spend(work, text.length)) return [];
  return text.every((character, index) => characters[at + index] === character)
    ? [{ at: at + text.length, groups }]
    : [];
}

function looks({ isAhead, of }: Pattern & { kind: 'look' }, state: State, match: Match): boolean {
  if (isAhead) return advance(of, [state], match).length > 0;
  if (match.work.left < 0) return false;
  const starts = Array.from({ length: state.at + 1 }, (_, at) => ({ ...state, at }));
  return advance(of, starts, match).some(({ at }) => at === state.at);
}

function isPlace(place: (Pattern & { kind: 'place' })['at'], at: number, characters: readonly string[]): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === characters.length;
  const isBoundary = isWord(characters[at - 1]) !== isWord(characters[at]);
  return isBoundary === (place === 'boundary');
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character);
}

function distinct(states: readonly State[]): readonly State[] {
  return [...new Map(states.map((state) => [keyOf(state), state])).values()];
}

function keyOf({ at, groups }: State): string | number {
  const texts = Object.values(groups);
  return texts.length === 0 ? at : JSON.stringify([at, groups]);
}
