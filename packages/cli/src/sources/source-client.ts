import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Finding } from '@schemakit/core';
import { createHttpClient, type HttpAnswer, HttpError, isPublicAddress } from '@schemakit/http';
import { sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-options.ts';
import type { Validators } from './source-state.ts';
import type { FileAnswer } from './source-tree.ts';

/** What the web gave. `url` and `notModified`: the address that answered in the end, after redirects. */
export type WebAnswer =
  | Extract<FileAnswer, { status: 'missing' }>
  | { status: 'read'; bytes: Uint8Array; url: string; validators: Validators }
  /** `notModified`: it is still what the validators are of. */
  | { status: 'failed'; finding: Finding; notModified?: string };

/** Gets the files of one source. */
export interface SourceClient {
  /** Never throws, except for the reason of the signal once that is aborted. */
  get(url: string, options: { maxBytes: number; validators?: Validators | undefined }): Promise<WebAnswer>;
  close(): Promise<void>;
}

/**
 * Opens a client for the origin that the user named, which may be private for that reason. All others have to be public,
 * and to use https; redirects are held to the same.
 */
export function openSourceClient({
  url,
  limits: { requestMs: timeoutMs, silenceMs: idleTimeoutMs },
  signal,
}: {
  url: string;
  limits: SourceLimits;
  signal: AbortSignal;
}): SourceClient {
  const { origin } = new URL(url);
  const client = createHttpClient({ policy: { privateOrigins: [origin] }, timeoutMs, idleTimeoutMs, signal });
  return {
    async get(address, { maxBytes, validators }) {
      try {
        const request = { url: address, method: 'GET', headers: conditions(validators) };
        const answer = await client.request(request, { maxBytes });
        return readAnswer(answer, origin);
      } catch (error) {
        signal.throwIfAborted();
        return { status: 'failed', finding: failure(address, error) };
      }
    },
    close: () => client.close(),
  };
}

/** Without TLS, anyone on the way could change schemas: only for a server on this machine or in the own network. */
export async function plainHttpProblem(address: string): Promise<Finding | undefined> {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' || (await isPrivateHost(url.hostname))) return undefined;
  return sourceFinding('SRC001', `${url.host} can be reached over the internet, and would be asked without TLS`, {
    hint: 'Use https.',
  });
}

async function isPrivateHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => !isPublicAddress(address));
}

function conditions({ etag, lastModified }: Validators = {}): Record<string, string> {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

function readAnswer(answer: HttpAnswer, origin: string): WebAnswer {
  const { status, url, redirects } = answer;
  const plain = redirects.find(({ to }) => to.startsWith('http:') && new URL(to).origin !== origin);
  if (plain !== undefined) {
    const message = `${shown(plain.from)} sends requests on to an address without TLS`;
    return { status: 'failed', finding: sourceFinding('SRC001', message, { hint: 'Name an https address.' }) };
  }
  if (status === 200) return { status: 'read', bytes: answer.body, url, validators: validatorsOf(answer) };
  const finding = sourceFinding('SRC002', `${shown(url)} answered ${status} ${answer.statusText}`.trimEnd(), {
    hint: statusHint(status),
  });
  if (status === 304) return { status: 'failed', finding, notModified: url };
  return { status: status === 404 || status === 410 ? 'missing' : 'failed', finding };
}

function validatorsOf({ headers }: HttpAnswer): Validators {
  const { etag, 'last-modified': lastModified } = headers;
  return {
    ...(isShort(etag) && { etag }),
    ...(isShort(lastModified) && { lastModified }),
  };
}

/** They are noted in `_source.json`, and sent back. */
function isShort(header: string | undefined): header is string {
  return header !== undefined && header !== '' && header.length <= 500;
}

function statusHint(status: number): string {
  if (status === 404 || status === 410) return 'Check the address: it has to be that of the file itself.';
  if (status === 401 || status === 403)
    return 'The server asks for a login; a private source can be imported with git.';
  return status >= 500 || status === 429 ? 'Try again later.' : 'Open the address in a browser to see what it is.';
}

function failure(address: string, error: unknown): Finding {
  if (!(error instanceof HttpError)) return sourceFinding('SRC002', `${shown(address)}: ${String(error)}`);
  if (error.code === 'TOO_LARGE') {
    return sourceFinding('SRC006', `${shown(address)} is too large: ${error.message}`, {
      hint: 'Sources have to be smaller.',
    });
  }
  return sourceFinding('SRC002', `${shown(address)} cannot be read: ${error.message}`, { hint: hintFor(error) });
}

/** The hints of the client speak to programs. */
function hintFor({ code, hint }: HttpError): string {
  if (code === 'ADDRESS_BLOCKED')
    return 'A source may not lead to a private address other than the one that was named.';
  return code === 'ETIMEDOUT' ? 'Try again later.' : hint;
}

/** Without the query, which may hold a key. */
function shown(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'the address' : `${url.origin}${url.pathname}`;
}
