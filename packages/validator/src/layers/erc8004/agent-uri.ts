import { gunzipSync } from 'node:zlib';
import { HttpError } from '@schemakit/http';
import { type Evidence, httpEvidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { isDeeperThan, isPlainObject, type PlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import { MAX_DOCUMENT_BYTES, type Network } from '../../network/network.ts';
import { readIpfs, WrongBlock } from './ipfs.ts';

export type UriType = 'empty' | 'base64' | 'gzip' | 'json' | 'http' | 'ipfs' | 'unknown';

/** Where the URI of an agent leads. */
export interface ResolvedUri {
  uriType: UriType;
  /** The registration file. */
  document?: PlainObject;
  evidence?: Evidence;
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
  try {
    if (uriType === 'empty') throw new Problem('URI-001', 'The agent has no URI');
    if (uriType === 'unknown') throw new Problem('URI-004', `Unknown scheme: ${text.slice(0, 100)}`);
    let content: string;
    if (uriType === 'http') {
      const answer = await options.network.get(new URL(text), options.clock.remaining() / 2);
      content = answer.text();
      evidence = httpEvidence({ ...answer, method: 'GET', body: content });
      if (answer.status !== 200)
        throw new Problem('URI-002', `${shownUrl(new URL(text))} answers HTTP ${answer.status}`);
    } else if (uriType === 'ipfs') content = await readFromGateways(text, options);
    else content = uriType === 'json' && text.startsWith('{') ? text : readDataUri(text);
    const document = parseJson(content.replace(/^\ufeff/, ''));
    if (!isPlainObject(document)) throw new Problem('URI-007', 'The registration file is not a JSON object');
    if (isDeeperThan(document, MAX_DEPTH))
      throw new Problem('URI-007', `The registration file is nested more than ${MAX_DEPTH} levels deep`);
    return { uriType, document, evidence, findings: [] };
  } catch (error) {
    const { code, message } = problemOf(error);
    return { uriType, findings: [finding(code, 'agentURI', message, { evidence })] };
  }
}

type UriCode = `URI-00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

class Problem extends Error {
  readonly code: UriCode;
  constructor(code: UriCode, text: string) {
    super(text);
    this.code = code;
  }
}

function problemOf(error: unknown): { code: UriCode; message: string } {
  if (error instanceof Problem) return error;
  if (error instanceof WrongBlock) return { code: 'URI-009', message: error.message };
  if (error instanceof RangeError) return { code: 'URI-006', message: error.message };
  const { message } = error as Error;
  if (!(error instanceof HttpError)) return { code: 'URI-002', message };
  const isBlocked = error.code === 'ADDRESS_BLOCKED' || error.code === 'PROTOCOL_BLOCKED';
  return { code: isBlocked ? 'URI-003' : error.code === 'TOO_LARGE' ? 'URI-006' : 'URI-002', message };
}

function typeOf(uri: string): UriType {
  if (uri === '') return 'empty';
  if (uri.startsWith('{')) return 'json';
  if (/^ipfs:\/\/|^\/ipfs\//i.test(uri)) return 'ipfs';
  if (/^https?:/i.test(uri)) return URL.canParse(uri) ? 'http' : 'unknown';
  if (!/^data:/i.test(uri)) return 'unknown';
  const { head, isBase64, data } = dataParts(uri);
  // The first bytes of gzip in base64.
  if (/enc=gzip|gzip/i.test(head) || (isBase64 && data.startsWith('H4sI'))) return 'gzip';
  return isBase64 ? 'base64' : 'json';
}

function dataParts(uri: string): { head: string; isBase64: boolean; data: string } {
  const comma = uri.indexOf(',');
  const head = comma === -1 ? uri : uri.slice(0, comma);
  return { head, isBase64: /;\s*base64\s*$/i.test(head), data: comma === -1 ? '' : uri.slice(comma + 1) };
}

/** Decodes a `data:` URI: percent-encoded, base64 with or without padding, and gzip inside of it. */
function readDataUri(uri: string): string {
  const { isBase64, data } = dataParts(uri);
  const broken = (why: string): Problem => new Problem('URI-005', `The \`data:\` URI ${why}`);
  if (data === '') throw broken('has no data');
  let bytes: Buffer;
  if (isBase64) {
    const digits = data.replaceAll(/%3D/gi, '=').replaceAll(/\s/g, '');
    if (!/^[\w+/-]*={0,2}$/.test(digits)) throw broken('is not valid base64');
    bytes = Buffer.from(digits, 'base64');
  } else bytes = Buffer.from(decodePercent(data));
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      bytes = gunzipSync(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw broken('is not valid gzip');
    }
  }
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge();
  return bytes.toString('utf8');
}

function tooLarge(): Problem {
  return new Problem('URI-006', `The registration file is larger than ${MAX_DOCUMENT_BYTES} bytes`);
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
  if (ipfsGateways.length === 0) throw new Problem('URI-008', 'The registration file is in IPFS: pass `ipfsGateways`');
  let fault: unknown;
  for (const gateway of ipfsGateways) {
    const base = gateway.replace(/\/(?:ipfs\/?)?$/, '');
    const part = clock.part(0.5);
    const getBlock = async (cid: string): Promise<Uint8Array> => {
      const { status, body } = await gatewayNetwork.get(new URL(`${base}/ipfs/${cid}?format=raw`), part.remaining());
      if (status !== 200) throw new Error(`${new URL(gateway).host} answers HTTP ${status}`);
      return body;
    };
    try {
      const content = await readIpfs(uri, { getBlock, maxBytes: MAX_DOCUMENT_BYTES });
      return content.toString('utf8');
    } catch (error) {
      // A wrong block says more than a missing one.
      fault = fault instanceof WrongBlock ? fault : error;
    } finally {
      part.release();
    }
  }
  throw fault;
}
