import { existsSync, globSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { isRecord } from '../settings/parse-json.ts';

/** An installed package: where it is, and the folder below `node_modules` where it goes. */
interface PlacedPackage {
  folder: string;
  place: string;
}

/** The folder of this command. */
export const ownPackage: string = realpathSync(dirname(findPackageJSON('..', import.meta.url) ?? ''));

/**
 * Packages with their production dependencies, laid out as npm does: beside one another, and below the package that needs it where
 * another version has the place. Optional peers are left out.
 */
export function packageClosure(folders: readonly string[]): PlacedPackage[] {
  const placed = new Map<string, string>();
  const waiting: PlacedPackage[] = [];
  const put = (place: string, folder: string) => {
    placed.set(place, folder);
    waiting.push({ place, folder });
  };
  for (const folder of folders) {
    const { name } = manifestOf(folder);
    if (typeof name === 'string' && !placed.has(name)) put(name, folder);
  }
  for (const { place, folder } of waiting) {
    for (const name of dependenciesOf(folder)) {
      const found = findPackage(name, folder);
      if (found === undefined) continue;
      const seen = foldersAbove(place).find((above) => placed.has(`${above}${name}`));
      if (seen !== undefined && placed.get(`${seen}${name}`) === found) continue;
      put(seen === undefined ? name : `${place}/node_modules/${name}`, found);
    }
  }
  return waiting;
}

/** Where Node looks for the dependencies of a package, nearest first; empty for the outermost `node_modules`. */
function foldersAbove(place: string): string[] {
  const parts = place.split('/node_modules/');
  const inner = parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/node_modules/`);
  return [...inner, ''];
}

function dependenciesOf(folder: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifestOf(folder);
  const isOptional = (name: string) => {
    const about = isRecord(peerDependenciesMeta) ? peerDependenciesMeta[name] : undefined;
    return isRecord(about) && about.optional === true;
  };
  const peers = Object.keys(Object(peerDependencies)).filter((name) => !isOptional(name));
  return [
    ...new Set([...Object.keys(Object(dependencies)), ...Object.keys(Object(optionalDependencies)), ...peers]),
  ].sort();
}

function manifestOf(folder: string): Record<string, unknown> {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return isRecord(manifest) ? manifest : {};
}

function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

/** What Node never reads. */
const unread = /\.(?:[cm]?ts|tsx|map|markdown|md|flow)$|(?:^|\/)\.[^/]+$|\.tsbuildinfo$/i;
const licence = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;

/** The files of a package that run, and its licence. `whole`: all files, for packages whose hash counts. */
export function packageFiles(folder: string, { whole = false }: { whole?: boolean } = {}): string[] {
  // A folder of a workspace has more than what is published.
  const isLinked = !folder.split(sep).includes('node_modules');
  const { files } = manifestOf(folder);
  const roots =
    isLinked && Array.isArray(files)
      ? [
          ...files.flatMap((pattern) => globSync(String(pattern), { cwd: folder })),
          'package.json',
          ...licencesIn(folder),
        ]
      : ['.'];
  const all = roots.flatMap((root) => filesBelow(folder, root));
  return [...new Set(all)].filter((file) => whole || licence.test(file) || !unread.test(file)).sort();
}

function licencesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => licence.test(name));
}

function filesBelow(folder: string, path: string): string[] {
  const full = join(folder, path);
  if (statSync(full).isFile()) return [path.replaceAll(sep, '/')];
  return readdirSync(full, { withFileTypes: true }).flatMap((entry) => {
    const inner = path === '.' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(folder, inner);
    return entry.isFile() ? [inner.replaceAll(sep, '/')] : [];
  });
}
