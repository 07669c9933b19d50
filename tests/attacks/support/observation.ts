import type { Harm } from '../attack.ts';

/** What was seen of one run of an attack, with protection or without. */
export interface Observation {
  /** All that the caller of the attacking schema was told, as text. */
  told: string;
  /** Characters that the attacking schema wrote to its console. */
  written: number;
  /** Answers of the neighbour: the first before the attack, the others after its beginning. */
  neighbour: readonly string[];
  /** How long the neighbour's slowest answer after the attack took, in milliseconds. */
  neighbourMs: number;
  /** Properties of shared objects in the calling process that were changed. */
  changed: readonly string[];
  /** Requests and connections that arrived at the listener. */
  arrived: number;
  /** The drop file exists. */
  dropped: boolean;
  /** How the calling process ended before it had told all, if it did. */
  ended?: 'by itself' | 'out of memory' | 'killed at the deadline';
}

/** What only the victims know. */
export interface Canaries {
  environment: string;
  file: string;
  neighbour: string;
  /** Part of each path on this machine that an attacker could be shown. */
  paths: readonly string[];
}

/** The most that a call may ask of one upstream or write to the console, and the longest that it may keep others waiting. */
const maxRequests = 1000;
const maxWritten = 1_000_000;
const maxTold = 15_000_000;
const maxDelayMs = 8000;

/** The harm that was done, each with what it was seen by. */
export type Harms = Partial<Record<Harm, string>>;

/** What harm can be seen in an observation. */
export function harmsIn(
  seen: Observation,
  canaries: Canaries,
  { mayReachListener = false }: { mayReachListener?: boolean } = {},
): Harms {
  const { told, neighbour, ended, arrived, written } = seen;
  const [before = '', ...after] = neighbour;
  const excerpt = told.slice(0, 500);
  const signs: [Harm, boolean, string][] = [
    ['reads the environment', told.includes(canaries.environment), excerpt],
    ['reads a file', told.includes(canaries.file), excerpt],
    ['writes a file', seen.dropped, 'the file is there'],
    ['reaches the network', arrived > 0 && !mayReachListener, `${arrived} requests`],
    ["reads another schema's data", told.includes(canaries.neighbour), excerpt],
    [
      "changes another schema's answers",
      after.some((answer) => answer !== before) || !before.startsWith('{'),
      neighbour.join('\n'),
    ],
    ['changes the calling process', seen.changed.length > 0, seen.changed.join()],
    ['ends the calling process', ended === 'by itself', 'it is gone'],
    [
      'hangs the calling process',
      ended === 'killed at the deadline' || seen.neighbourMs > maxDelayMs,
      `${seen.neighbourMs} ms`,
    ],
    ['exhausts memory', ended === 'out of memory', 'it was ended'],
    [
      'floods',
      written > maxWritten || arrived > maxRequests || told.length > maxTold,
      `${[written, arrived, told.length]}`,
    ],
    ['reveals paths of the machine', canaries.paths.some((path) => told.includes(path)), excerpt],
  ];
  return Object.fromEntries(signs.flatMap(([harm, isSeen, sign]) => (isSeen ? [[harm, sign]] : [])));
}
