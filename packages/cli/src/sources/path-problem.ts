/** Limits for paths and their parts, in bytes of UTF-8: every file system supports these, with room for the folder. */
const maxPathBytes = 200;
const maxNameBytes = 120;

/** Device names on Windows, with any extension (Microsoft, "Naming Files, Paths, and Namespaces"). */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;

const rules: readonly [isBroken: (path: string) => boolean, problem: string][] = [
  [(path) => path === '', 'is empty'],
  [(path) => !path.isWellFormed() || path.includes('\uFFFD'), 'is not valid Unicode'],
  [(path) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path), 'contains an invisible character'],
  [(path) => path.includes('\\'), 'contains a backslash'],
  [(path) => /^(\/|~|[a-z]:)/i.test(path), 'is absolute'],
  [(path) => /%[0-9a-f]{2}/i.test(path), 'is percent-encoded'],
  [(path) => /[<>:"|?*]/.test(path), 'contains a character that is invalid on Windows'],
  [
    (path) => anyName(path, (name) => name === '' || name === '.' || name === '..'),
    'has an empty, "." or ".." segment',
  ],
  [
    (path) => anyName(path, (name) => /^\s|[\s.]$/.test(name)),
    'has a segment that begins or ends with a space or a dot',
  ],
  [(path) => anyName(path, (name) => name.startsWith('.')), 'has a hidden segment'],
  [(path) => anyName(path, (name) => deviceName.test(name)), 'contains a device name'],
  [(path) => anyName(path, (name) => name.toLowerCase() === 'node_modules'), 'leads into node_modules'],
  [(path) => anyName(path, (name) => /^_source\.json/i.test(name)), 'has a name that is reserved by SchemaKit'],
  [(path) => anyName(path, (name) => bytesOf(name) > maxNameBytes), `has a segment longer than ${maxNameBytes} bytes`],
  [(path) => bytesOf(path) > maxPathBytes, `is longer than ${maxPathBytes} bytes`],
  [(path) => path.normalize('NFC') !== path, 'is not in Unicode normalization form NFC'],
];

/** Words that follow the path; undefined for a valid one. A valid path means the same file on every system, without any decoding. */
export function pathProblem(path: string): string | undefined {
  return rules.find(([isBroken]) => isBroken(path))?.[1];
}

/** Paths that collide with an earlier one: the same on a case-insensitive file system, or a file where the other has a folder. */
export function pathCollisions(paths: Iterable<string>): Map<string, string> {
  const taken = new Map<string, { text: string; isFile: boolean; path: string }>();
  const collisions = new Map<string, string>();
  for (const path of paths) {
    const names = path.split('/');
    const texts = names.map((_, index) => names.slice(0, index + 1).join('/'));
    const other = texts.map((text) => collidesWith(text, path, taken)).find((found) => found !== undefined);
    if (other !== undefined) {
      collisions.set(path, other);
      continue;
    }
    for (const text of texts) taken.set(folded(text), { text, isFile: text === path, path });
  }
  return collisions;
}

type TakenPaths = ReadonlyMap<string, { text: string; isFile: boolean; path: string }>;

function collidesWith(text: string, path: string, taken: TakenPaths): string | undefined {
  const entry = taken.get(folded(text));
  if (entry === undefined) return undefined;
  return entry.text !== text || entry.isFile || text === path ? entry.path : undefined;
}

function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase();
}

function anyName(path: string, test: (name: string) => boolean): boolean {
  return path.split('/').some(test);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** The source that stands for the folder `schemas` of a project. */
export const ownSource = 'schemas';

/** Why a name of a source is refused, as words that follow it; undefined for a valid one. */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) {
    return 'must be 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit';
  }
  return pathProblem(name);
}

/** Derives a valid name for a source; undefined if nothing is left of the text. */
export function nameFrom(text: string): string | undefined {
  const name = text
    .replace(/[^a-z0-9._-]+/gi, '-')
    .replace(/^[^a-z0-9]+/i, '')
    .slice(0, 64)
    .replace(/[^a-z0-9]+$/i, '');
  return nameProblem(name) === undefined ? name : undefined;
}
