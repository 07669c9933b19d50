import { gunzipSync } from 'node:zlib';
import { HttpError } from '@schemakit/http';
import { type Evidence, httpEvidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { isDeeperThan, isPlainObject, type PlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import { MAX_DOCUMENT_BYTES, type Network } from '../../network/network.ts';
import { readIpfs, UriFault } from './ipfs.ts';

export type UriType = 'empty' | 'base64' | 'gzip' | 'json' | 'http' | 'ipfs' | 'unknown';

/** Where the URI of an agent leads. */
export interface ResolvedUri {
  uriType: UriType;
  /** The registration file. */
  document?: PlainObject;
  findings: Finding[];
}

export interface ResolveOptions {
  network: Network;
  /** For gateways, which may be private. */
  gatewayNetwork: Network;
  clock: Clock;
  ipfsGateways: readonly string[];
}

const MAX_DEPTH = 32;

/** Reads the registration file that a URI names or contains. Never rejects. */
export async function resolveUri(uri: string, options: ResolveOptions): Promise<ResolvedUri> {
  const text = uri.trim();
  const uriType = typeOf(text);
  let evidence: Evidence = partEvidence('agentURI', text);
  const readUrl = async (): Promise<string> => {
    const url = new URL(text);
    const answer = await options.network.get(url, options.clock.remaining() / 2);
    evidence = httpEvidence({ ...answer, method: 'GET', body: answer.text() });
    if (answer.status !== 200) throw new UriFault('URI-002', `${shownUrl(url)} answers HTTP ${answer.status}`);
    return answer.text();
  };
  try {
    if (uriType === 'empty') throw new UriFault('URI-001', 'The agent has no URI');
    if (uriType === 'unknown') throw new UriFault('URI-004', `Unknown kind of URI: ${text.slice(0, 100)}`);
    let content = text;
    if (uriType === 'http') content = await readUrl();
    else if (uriType === 'ipfs') content = await readFromGateways(text, options);
    else if (!text.startsWith('{')) content = readDataUri(text);
    const document = parseJson(content.replace(/^\ufeff/, ''));
    if (!isPlainObject(document)) throw new UriFault('URI-007', 'The registration file is not a JSON object');
    if (isDeeperThan(document, MAX_DEPTH))
      throw new UriFault('URI-007', `The registration file is nested more than ${MAX_DEPTH} levels deep`);
    return { uriType, document, findings: [] };
  } catch (error) {
    return { uriType, findings: [finding(codeOf(error), 'agentURI', (error as Error).message, { evidence })] };
  }
}

function codeOf(error: unknown): UriFault['code'] {
  if (error instanceof UriFault) return error.code;
  if (!(error instanceof HttpError)) return 'URI-002';
  if (error.code === 'ADDRESS_BLOCKED' || error.code === 'PROTOCOL_BLOCKED') return 'URI-003';
  return error.code === 'TOO_LARGE' ? 'URI-006' : 'URI-002';
}

function typeOf(uri: string): UriType {
  if (uri === '') return 'empty';
  if (uri.startsWith('{')) return 'json';
  if (/^(?:ipfs:\/\/|\/ipfs\/)/i.test(uri)) return 'ipfs';
  if (/^https?:/i.test(uri) && URL.canParse(uri)) return 'http';
  if (!/^data:/i.test(uri)) return 'unknown';
  const { head, isBase64, data } = dataParts(uri);
  // The first bytes of gzip in base64.
  if (/gzip/i.test(head) || (isBase64 && data.startsWith('H4sI'))) return 'gzip';
  if (isBase64) return 'base64';
  return /^data:(?:[^;]*json|text\/plain)?(?:;|$)/i.test(head) ? 'json' : 'unknown';
}

function dataParts(uri: string): { head: string; isBase64: boolean; data: string } {
  const [head = '', ...data] = uri.split(',');
  return { head, isBase64: /;\s*base64\s*$/i.test(head), data: data.join(',') };
}

/** Decodes a `data:` URI: percent-encoded, base64 with or without padding, and gzip inside of it. */
function readDataUri(uri: string): string {
  const { isBase64, data } = dataParts(uri);
  const broken = (why: string): UriFault => new UriFault('URI-005', `The \`data:\` URI ${why}`);
  if (data === '') throw broken('has no data');
  const digits = data.replaceAll(/%3D/gi, '=').replaceAll(/\s/g, '');
  if (isBase64 && !/^[\w+/-]*={0,2}$/.test(digits)) throw broken('is not valid base64');
  let bytes = isBase64 ? Buffer.from(digits, 'base64') : Buffer.from(decodePercent(data));
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      bytes = gunzipSync(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw broken('is not valid gzip');
      bytes = Buffer.alloc(MAX_DOCUMENT_BYTES + 1);
    }
  }
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new UriFault('URI-006', `The registration file is larger than ${MAX_DOCUMENT_BYTES} bytes`);
  return bytes.toString('utf8');
}

/** Many write JSON into the URI as it is, with `%` in texts. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Asks the gateways in order for each block; the next one if a block is missing or wrong. */
async function readFromGateways(uri: string, { gatewayNetwork, clock, ipfsGateways }: ResolveOptions): Promise<string> {
  let fault: unknown = new UriFault('URI-008', 'The registration file is in IPFS, and no gateway is given');
  for (const gateway of ipfsGateways) {
    const base = gateway.replace(/\/(?:ipfs\/?)?$/, '');
    const part = clock.part(0.5);
    const getBlock = async (cid: string): Promise<Uint8Array> => {
      const { status, body } = await gatewayNetwork.get(new URL(`${base}/ipfs/${cid}?format=raw`), part.remaining());
      if (status !== 200) throw new Error(`${new URL(gateway).host} answers HTTP ${status}`);
      return body;
    };
    try {
      return await readIpfs(uri, { getBlock, maxBytes: MAX_DOCUMENT_BYTES });
    } catch (error) {
      // A wrong block says more than a missing one.
      if (!(fault instanceof UriFault && fault.code === 'URI-009')) fault = error;
    } finally {
      part.release();
    }
  }
  throw fault;
}
