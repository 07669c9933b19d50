/**
 * Encodes a value for a path (RFC 3986, 3.3). Slashes stay, since real identifiers have them (`10.1038/nature12373`), as
 * do the other characters that a path may hold; what could end the path or be read as an escape is encoded.
 */
export function encodePathValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(2F|3A|2B|2C|40|3B|3D|24)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Undoes the percent-encodings that could hide a dot, a slash, a backslash or another percent sign, however deep. */
function unhide(value: string): string {
  let before = value;
  for (;;) {
    const after = before.replace(/%(2e|2f|5c|25)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (after === before) return after;
    before = after;
  }
}

/** A stretch of a path: written by the author of the schema, or given by the caller. */
export interface PathPiece {
  text: string;
  /** Name of the input that gave it; undefined for the author's text. */
  from?: string;
}

/** Why a caller's value may not stand in a path. */
export interface PathProblem {
  from: string;
  problem: string;
}

/**
 * Finds a value that would leave its place: one that makes a segment `.`, `..` or empty in any encoding, or has a
 * backslash, which some servers read as a slash.
 */
export function findPathProblem(pieces: readonly PathPiece[]): PathProblem | undefined {
  if (!pieces.some(({ from }) => from !== undefined)) return undefined;
  const plain = pieces.map((piece) => (piece.from === undefined ? piece.text : unhide(piece.text)));
  const whole = plain.join('');
  let start = 0;
  for (const [index, piece] of pieces.entries()) {
    const length = plain[index]?.length ?? 0;
    const end = start + length;
    if (piece.from !== undefined) {
      if (plain[index]?.includes('\\')) return { from: piece.from, problem: 'a backslash' };
      // The value together with what the author wrote around it, out to the next slashes.
      const left = whole.lastIndexOf('/', start - 1) + 1;
      const next = whole.indexOf('/', end);
      const segments = whole.slice(left, next === -1 ? undefined : next).split('/');
      if (segments.includes('')) return { from: piece.from, problem: 'an empty segment' };
      const dots = segments.find((segment) => segment === '.' || segment === '..');
      if (dots !== undefined) return { from: piece.from, problem: `the segment "${dots}"` };
    }
    start = end;
  }
  return undefined;
}
