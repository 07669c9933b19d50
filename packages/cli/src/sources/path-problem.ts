/** Longest path and longest name in it, in bytes of UTF-8: what every file system takes, with room for the folder. */
const maxPathBytes = 200;
const maxNameBytes = 120;

/** Names that are devices on Windows, with any extension (Microsoft, "Naming Files, Paths, and Namespaces"). */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;

const rules: readonly [isBroken: (path: string) => boolean, problem: string][] = [
  [(path) => path === '', 'is empty'],
  [(path) => !path.isWellFormed() || path.includes('\uFFFD'), 'is not valid Unicode'],
  [(path) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path), 'has a character that cannot be seen'],
  [(path) => path.includes('\\'), 'has a backslash'],
  [(path) => /^(\/|~|[a-z]:)/i.test(path), 'is absolute'],
  [(path) => /%[0-9a-f]{2}/i.test(path), 'is percent-encoded'],
  [(path) => /[<>:"|?*]/.test(path), 'has a character that Windows refuses'],
  [(path) => anyName(path, (name) => name === '' || name === '.' || name === '..'), 'has an empty, "." or ".." part'],
  [(path) => anyName(path, (name) => /^\s|[\s.]$/.test(name)), 'has a part that begins or ends with a space or a dot'],
  [(path) => anyName(path, (name) => name.startsWith('.')), 'has a hidden part'],
  [(path) => anyName(path, (name) => deviceName.test(name)), 'has the name of a device'],
  [(path) => anyName(path, (name) => name.toLowerCase() === 'node_modules'), 'leads into node_modules'],
  [(path) => /^_source\.json/i.test(path), 'is a name that SchemaKit needs itself'],
  [(path) => anyName(path, (name) => bytesOf(name) > maxNameBytes), `has a part of more than ${maxNameBytes} bytes`],
  [(path) => bytesOf(path) > maxPathBytes, `is longer than ${maxPathBytes} bytes`],
  [(path) => path.normalize('NFC') !== path, 'is not in the usual form of Unicode (NFC)'],
];

/**
 * Why a path that a source names cannot be used below the source's folder, as words that follow the path; undefined for one
 * that can. What works here means the same file on every system: separators are `/`, nothing is decoded, nothing is cut.
 */
export function pathProblem(path: string): string | undefined {
  return rules.find(([isBroken]) => isBroken(path))?.[1];
}

/**
 * Paths of which a file system that does not tell upper and lower case apart would make one, or of which one is a file and a
 * folder of another: each with the path that came before it.
 */
export function pathCollisions(paths: Iterable<string>): Map<string, string> {
  const places = new Map<string, { text: string; isFile: boolean; path: string }>();
  const collisions = new Map<string, string>();
  for (const path of paths) {
    const names = path.split('/');
    const texts = names.map((_, index) => names.slice(0, index + 1).join('/'));
    const other = texts.map((text) => collidesWith(text, path, places)).find((found) => found !== undefined);
    if (other !== undefined) {
      collisions.set(path, other);
      continue;
    }
    for (const text of texts) places.set(folded(text), { text, isFile: text === path, path });
  }
  return collisions;
}

type Places = ReadonlyMap<string, { text: string; isFile: boolean; path: string }>;

function collidesWith(text: string, path: string, places: Places): string | undefined {
  const place = places.get(folded(text));
  if (place === undefined) return undefined;
  return place.text !== text || place.isFile || text === path ? place.path : undefined;
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

/** Why a name cannot be that of a source, as words that follow it; undefined for one that can. */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) {
    return 'is not made of up to 64 letters, digits, dots, hyphens and underscores, with a letter or digit first';
  }
  return pathProblem(name);
}

/** A name for a source from text that came with it; undefined where nothing of it can be used. */
export function nameFrom(text: string): string | undefined {
  const name = text
    .replace(/[^a-z0-9._-]+/gi, '-')
    .replace(/^[^a-z0-9]+/i, '')
    .slice(0, 64)
    .replace(/[^a-z0-9]+$/i, '');
  return nameProblem(name) === undefined ? name : undefined;
}
