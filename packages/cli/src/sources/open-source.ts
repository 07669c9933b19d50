import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { readArchive } from './archive-tree.ts';
import { readFolder } from './folder-tree.ts';
import { fetchTree, findTip, type GitTip } from './git-tree.ts';
import type { Offer, OfferReading } from './offer.ts';
import { openRegistry } from './open-registry.ts';
import type { GitAddress, SourceAddress } from './source-address.ts';
import { openSourceClient, plainHttpProblem, type SourceClient } from './source-client.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-limits.ts';
import type { SourceState, Validators } from './source-state.ts';
import { treeOffer } from './tree-offer.ts';

export interface OpenOptions {
  limits: SourceLimits;
  signal: AbortSignal;
  /** What was imported before: what is still the same need not be sent again. */
  state?: SourceState | undefined;
  /** An empty folder for as long as the source is read. */
  workFolder(): Promise<string>;
}

/**
 * Asks a source what it has, and hands that to `use`. Connections are closed afterwards.
 *
 * @returns what `use` gave, or the findings that say why the source cannot be read.
 */
export async function withOffer<T>(
  address: SourceAddress,
  options: OpenOptions,
  use: (reading: OfferReading) => Promise<T>,
): Promise<T> {
  const isWeb = /^https?:/.test(address.url);
  const plain = isWeb ? await plainHttpProblem(address.url) : undefined;
  if (plain !== undefined) return use({ ok: false, findings: [plain] });
  if (address.type === 'git') return use(await openRepository(address, options));
  if (address.type === 'folder') return use(await openFolder(address.url, options));
  if (!isWeb) return use(await openArchiveFile(address.url, options));
  const client = openSourceClient({ ...options, url: address.url });
  try {
    const open = address.type === 'registry' ? openRegistry : openArchive;
    return await use(await open({ ...options, url: address.url, client }));
  } finally {
    await client.close();
  }
}

async function openFolder(url: string, { limits, signal }: OpenOptions): Promise<OfferReading> {
  const tree = await readFolder(url, { limits, signal });
  if (!tree.ok) return { ok: false, findings: [tree.finding] };
  return treeOffer(tree.value, { address: { type: 'folder', url }, name: basename(url), limits });
}

async function openRepository(address: GitAddress, options: OpenOptions): Promise<OfferReading> {
  const { state, signal } = options;
  const tip = await findTip(address, { signal });
  if (!tip.ok) return { ok: false, findings: [tip.finding] };
  const fresh = () => fetchRepository(tip.value, options);
  const isKnown = state?.isComplete === true && state.revision === tip.value.oid;
  return isKnown ? { ok: true, offer: unchangedOffer(state, fresh) } : fresh();
}

async function fetchRepository(tip: GitTip, { limits, signal, workFolder }: OpenOptions): Promise<OfferReading> {
  const { address } = tip;
  const tree = await fetchTree(tip, { folder: await workFolder(), limits, signal });
  if (!tree.ok) return { ok: false, findings: [tree.finding] };
  const name = nameOf(address.url);
  return treeOffer(tree.value, { address, path: address.path, name, limits });
}

async function openArchiveFile(url: string, { limits }: OpenOptions): Promise<OfferReading> {
  const info = await stat(url).catch(() => undefined);
  if (!info?.isFile()) return refused(sourceFinding('SRC019', `there is no file ${url}`, { hint: 'Check the path.' }));
  if (info.size > limits.archiveBytes) {
    const message = `${url} has ${info.size} bytes; ${limits.archiveBytes} are the most that is taken`;
    return refused(sourceFinding('SRC006', message));
  }
  return readOffer(await readFile(url), { url, limits, validators: {} });
}

async function openArchive({
  url,
  client,
  limits,
  state,
}: OpenOptions & { url: string; client: SourceClient }): Promise<OfferReading> {
  const ask = (validators?: Validators) => client.get(url, { maxBytes: limits.archiveBytes, validators });
  const answer = await ask(state?.isComplete === true ? state.validators : undefined);
  const fresh = async (): Promise<OfferReading> => {
    const again = await ask();
    if (again.status === 'read') return readOffer(again.bytes, { url, limits, validators: again.validators ?? {} });
    return refused(again.status === 'unchanged' ? oddAnswer(url) : again.finding);
  };
  if (answer.status === 'read') return readOffer(answer.bytes, { url, limits, validators: answer.validators ?? {} });
  if (answer.status !== 'unchanged') return refused(answer.finding);
  return state === undefined ? refused(oddAnswer(url)) : { ok: true, offer: unchangedOffer(state, fresh) };
}

function oddAnswer(url: string) {
  return sourceFinding('SRC002', `${url} says that nothing has changed, without having been asked`);
}

async function readOffer(
  bytes: Uint8Array,
  { url, limits, validators }: { url: string; limits: SourceLimits; validators: Validators },
): Promise<OfferReading> {
  const tree = await readArchive(bytes, { limits, name: nameOf(url) });
  if (!tree.ok) return { ok: false, findings: [tree.finding] };
  return treeOffer(tree.value, { address: { type: 'archive', url }, name: nameOf(url), validators, limits });
}

function refused(finding: ReturnType<typeof sourceFinding>): OfferReading {
  return { ok: false, findings: [finding] };
}

/** The same files as before. They are asked for again only where one is missing here. */
function unchangedOffer(state: SourceState, fresh: () => Promise<OfferReading>): Offer {
  const { address, revision, registry, validators } = state;
  const kept = [...state.files].filter(([, { removed }]) => removed !== true);
  let opened: Promise<OfferReading> | undefined;
  return {
    address,
    name: '',
    revision,
    files: kept.map(([path, { kind, sha256 }]) => ({ path, kind, sha256 })),
    refused: [],
    findings: [],
    registry,
    validators,
    async read(path) {
      opened ??= fresh();
      const reading = await opened;
      if (reading.ok) return reading.offer.read(path);
      const [finding = sourceFinding('SRC002', 'the source cannot be read')] = reading.findings;
      return { status: 'failed', finding };
    },
  };
}

/** `https://example.com/tides/schemas.git` is called `schemas`. */
function nameOf(url: string): string {
  const last =
    url
      .replace(/[?#].*$/, '')
      .split(/[\\/:]/)
      .findLast((part) => part !== '') ?? '';
  return last.replace(/\.(git|tar\.gz|tgz)$/i, '');
}
