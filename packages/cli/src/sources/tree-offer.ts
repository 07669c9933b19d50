import type { Finding } from '@schemakit/core';
import type { Offer, OfferedFile, OfferReading } from './offer.ts';
import { pathCollisions, pathProblem } from './path-problem.ts';
import { isRegistry, type Registry, readRegistry, registryNames } from './read-registry.ts';
import type { SourceAddress } from './source-address.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-limits.ts';
import type { Validators } from './source-state.ts';
import type { Tree } from './tree.ts';

export interface TreeOfferOptions {
  address: SourceAddress;
  /** Folder in the tree. Default: all of it. */
  path?: string | undefined;
  /** Name for a source without a registry. */
  name: string;
  validators?: Validators;
  limits: SourceLimits;
}

/**
 * What a repository, an archive or a folder offers: the files that its registry lists, or every module where it has none, and
 * in both cases its shared lists.
 */
export async function treeOffer(
  tree: Tree,
  { address, path = '', name, validators = {}, limits }: TreeOfferOptions,
): Promise<OfferReading> {
  const top = path === '' ? '' : `${path}/`;
  const found = await findRegistry(tree, { top, limits });
  if (found !== undefined && 'finding' in found) return { ok: false, findings: [found.finding] };
  const base = found === undefined || found.baseDir === '' ? top : `${top}${found.baseDir}/`;
  const present = presentFiles(tree, { base, limits });
  const chosen = found === undefined ? present : withRegistry(found, present);
  const size = sizeProblem(chosen.files, { tree, base, limits });
  if (size !== undefined) return { ok: false, findings: [size] };
  const places = chosen.files.map((file) => `${base}${file.path}`).filter((place) => isTakable(tree, place, limits));
  const contents = await tree.read(places);
  const read: Offer['read'] = async (path) => {
    const place = `${base}${path}`;
    const bytes =
      contents.get(place) ?? (isTakable(tree, place, limits) ? (await tree.read([place])).get(place) : undefined);
    if (bytes !== undefined) return { status: 'read', bytes };
    const problem = entryProblem(tree, { place, path, limits });
    return problem === undefined ? absent(path) : { status: 'failed', finding: problem };
  };
  const { revision } = tree;
  const { name: registryName = name, document: registry = null, version = null } = found ?? {};
  return {
    ok: true,
    offer: { ...chosen, address, name: registryName, revision: revision ?? version, registry, validators, read },
  };
}

async function findRegistry(
  tree: Tree,
  { top, limits }: { top: string; limits: SourceLimits },
): Promise<Registry | { finding: Finding } | undefined> {
  for (const registryName of registryNames) {
    const place = `${top}${registryName}`;
    const entry = tree.entries.get(place);
    if (entry?.kind !== 'file' || entry.bytes > limits.registryBytes) continue;
    const text = new TextDecoder().decode((await tree.read([place])).get(place));
    if (!isRegistry(text)) continue;
    const reading = readRegistry(text, { place, limits });
    return reading.ok ? reading.registry : reading;
  }
  return undefined;
}

type Chosen = Pick<Offer, 'files' | 'refused' | 'findings'>;

/** The files that the registry lists, with the lists that it forgot. */
function withRegistry({ files, refused, findings }: Registry, present: Chosen): Chosen {
  const listed = new Set(files.map(({ path }) => path));
  const lists = present.files.filter(({ path, kind }) => kind === 'list' && !listed.has(path));
  return { files: [...files, ...lists], refused, findings };
}

/** The modules and lists below a folder of the tree, and what is wrong with those that cannot be taken. */
function presentFiles(tree: Tree, { base, limits }: { base: string; limits: SourceLimits }): Chosen {
  const files: OfferedFile[] = [];
  const refused: string[] = [];
  const findings: Finding[] = [];
  const refuse = (path: string, finding: Finding) => {
    refused.push(path);
    findings.push(finding);
  };
  const places = [...tree.entries.keys()].filter((place) => place.startsWith(base)).sort();
  for (const place of places) {
    const path = place.slice(base.length);
    const kind = kindOf(path);
    const problem = kind === undefined ? undefined : entryProblem(tree, { place, path, limits });
    if (problem !== undefined) refuse(path, problem);
    else if (kind !== undefined) files.push({ path, kind });
    else if (tree.entries.get(place)?.kind !== 'file' && !isPassedOver(path)) findings.push(linkLeftOut(path));
  }
  const collisions = pathCollisions(files.map(({ path }) => path));
  for (const [path, other] of collisions) {
    const message = `${JSON.stringify(path)} and ${JSON.stringify(other)} would be one file on some systems`;
    refuse(path, sourceFinding('SRC004', message, { hint: 'The first of them is taken.' }));
  }
  return { files: files.filter(({ path }) => !collisions.has(path)), refused, findings };
}

/** What a file may be, by its path; undefined for one that is of no interest. A name that only looks like a module is looked at too. */
function kindOf(path: string): 'module' | 'list' | undefined {
  if (!/\.mjs/i.test(path) && !path.endsWith('/_registry.json') && path !== '_registry.json') return undefined;
  if (/(^|\/)_lists\/[^/]+$/.test(path) && !isPassedOver(path.replace(/(^|\/)_lists\/([^/]+)$/, '$1$2'))) return 'list';
  return isPassedOver(path) || !/\.mjs/i.test(path) ? undefined : 'module';
}

/** Hidden files, installed packages, and what stands in folders for other things than schemas. */
function isPassedOver(path: string): boolean {
  return path.split('/').some((part) => /^(_|\.[^.]|node_modules$)/i.test(part));
}

function isTakable(tree: Tree, place: string, { fileBytes }: SourceLimits): boolean {
  const entry = tree.entries.get(place);
  return entry?.kind === 'file' && entry.bytes <= fileBytes;
}

function entryProblem(
  tree: Tree,
  { place, path, limits }: { place: string; path: string; limits: SourceLimits },
): Finding | undefined {
  const problem =
    pathProblem(path) ?? (/\.(mjs|json)$/.test(path) || !/\.mjs/i.test(path) ? undefined : 'does not end in .mjs');
  if (problem !== undefined)
    return sourceFinding('SRC004', `the path ${JSON.stringify(path.slice(0, 300))} ${problem}`);
  const entry = tree.entries.get(place);
  if (entry === undefined) return undefined;
  if (entry.kind !== 'file') {
    const message = `${path} is ${entry.kind === 'link' ? 'a link' : 'no regular file'}`;
    return sourceFinding('SRC005', message, { hint: 'Put the file itself in its place.' });
  }
  if (entry.bytes <= limits.fileBytes) return undefined;
  const message = `${path} has ${entry.bytes} bytes; ${limits.fileBytes} are the most that is taken`;
  return sourceFinding('SRC006', message);
}

function linkLeftOut(path: string): Finding {
  const message = `${JSON.stringify(path.slice(0, 300))} is no regular file, and is left out`;
  return sourceFinding('SRC005', message, { severity: 'warning' });
}

function absent(path: string): { status: 'missing'; finding: Finding } {
  const finding = sourceFinding('SRC002', `there is no file ${path} in the source`, {
    hint: 'The registry of the source lists it, or a schema refers to it.',
  });
  return { status: 'missing', finding };
}

/** Before anything is read. */
function sizeProblem(
  files: readonly OfferedFile[],
  { tree, base, limits }: { tree: Tree; base: string; limits: SourceLimits },
): Finding | undefined {
  if (files.length > limits.files) {
    return sourceFinding(
      'SRC006',
      `the source has ${files.length} files; ${limits.files} are the most that are taken`,
      {
        hint: 'Name one of its folders.',
      },
    );
  }
  const sizes = files.map(({ path }) => tree.entries.get(`${base}${path}`)?.bytes ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= limits.totalBytes) return undefined;
  return sourceFinding('SRC006', `the source has ${bytes} bytes; ${limits.totalBytes} are the most that are taken`, {
    hint: 'Name one of its folders.',
  });
}
