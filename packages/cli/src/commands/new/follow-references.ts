import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Bundle, BundleOptions, UnreadDocument } from '@schemakit/import';
import { reasonOf } from '../../output/terminal-text.ts';
import { openSourceClient, plainHttpProblem, type SourceClient } from '../../sources/source-client.ts';
import { decodeText } from './decode-text.ts';
import { isCommand } from './import-source.ts';

interface FollowOptions {
  /** What the user named: a file or an address. */
  source: string;
  /** Where the document was in the end, if it has an address. */
  url: string | undefined;
  /** Whether documents at other addresses are read. */
  remoteRefs: boolean;
  bundle(text: string, options: BundleOptions): Promise<Bundle>;
  onProgress(name: string): void;
}

const maxBytes = 10 * 2 ** 20;
const maxRemote = 100;

/**
 * Reads what a document refers to. A file may refer to files below its folder, which came with it. Any other document is elsewhere: it is read
 * only if the user says so, like every source from a public address over https. Only the address that the user named may be private.
 */
export async function followReferences(
  text: string,
  { source, url, remoteRefs, bundle, onProgress }: FollowOptions,
): Promise<Pick<Bundle, 'source' | 'unread'>> {
  const isFile = url === undefined && !isCommand(source);
  const folder = isFile ? await realpath(dirname(resolve(source))) : undefined;
  const base = url ?? (folder === undefined ? undefined : pathToFileURL(resolve(source)).href);
  if (base === undefined) return { source: text, unread: {} };
  const named = url === undefined ? undefined : source;
  let client: SourceClient | undefined;
  const read: BundleOptions['read'] = async (address) => {
    onProgress(address);
    if (address.startsWith('file:')) return readLocal(address, folder);
    if (!remoteRefs) return unread(`${shown(address)} is another document`, remoteHint);
    client ??= openSourceClient(named);
    return readRemote(address, { client, named });
  };
  try {
    return await bundle(text, { base, read, ...(url !== undefined && { maxDocuments: maxRemote }) });
  } finally {
    await client?.close();
  }
}

const remoteHint = 'To read it, add --remote-refs. Or bundle the document into one file first.';

function unread(message: string, hint: string): { ok: false } & UnreadDocument {
  return { ok: false, message, hint };
}

type Answer = Awaited<ReturnType<BundleOptions['read']>>;

async function readLocal(address: string, folder: string | undefined): Promise<Answer> {
  if (folder === undefined) {
    return unread('a document from an address refers to a file', 'Download the documents, and import the file.');
  }
  let shownFile = address;
  try {
    const path = fileURLToPath(address);
    shownFile = relative('.', path) || path;
    const real = await realpath(path);
    if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
      const hint = 'Move it there, or bundle the document into one file first.';
      return unread(`${shownFile} is outside of the folder of the document`, hint);
    }
    const { size, isFile } = await stat(real).then((info) => ({ size: info.size, isFile: info.isFile() }));
    if (!isFile) return unread(`${shownFile} is not a file`, 'Correct the reference.');
    if (size > maxBytes) return unread(`${shownFile} is larger than ${maxBytes / 2 ** 20} MiB`, 'Import a part of it.');
    return { ok: true, text: decodeText(await readFile(real)) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return unread(
      isMissing ? `there is no file ${shownFile}` : `cannot read ${shownFile}: ${reasonOf(error)}`,
      'Correct the reference, or put the file there.',
    );
  }
}

async function readRemote(
  address: string,
  { client, named }: { client: SourceClient; named: string | undefined },
): Promise<Answer> {
  const { origin, protocol } = new URL(address);
  const isOwn = named !== undefined && new URL(named).origin === origin;
  if (protocol !== 'https:' && !isOwn) {
    const plain = protocol === 'http:' ? `${shown(address)} has no TLS` : `${protocol} is not an address on the web`;
    return unread(plain, 'Refer to an https address, or bundle the document into one file first.');
  }
  const problem = await plainHttpProblem(address);
  const answer = problem === undefined ? await client.get(address, { maxBytes }) : undefined;
  if (answer?.status === 'read') return { ok: true, text: decodeText(answer.bytes), url: answer.url };
  const { message, hint = 'Bundle the document into one file first.' } = problem ?? answer?.finding ?? { message: '' };
  return unread(message, hint);
}

/** Without the query, which may have a key. */
function shown(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
