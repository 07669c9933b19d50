import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Finding } from '@schemakit/core';
import { createHttpClient, type HttpAnswer, HttpError, isPublicAddress } from '@schemakit/http';
import { sourceFinding } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import type { Validators } from './source-state.ts';

/** A response. `url` and `notModified`: the final address, after redirects. `serviceDesc`: descriptions that it links to (RFC 8631). */
export type WebAnswer =
  | { status: 'read'; bytes: Uint8Array; url: string; validators: Validators; serviceDesc: string[] }
  | { status: 'missing'; finding: Finding; httpStatus: number }
  /** `notModified`: the validators still match. `httpStatus`: if there was an answer. */
  | { status: 'failed'; finding: Finding; notModified?: string; httpStatus?: number };

export interface SourceClient {
  /** Never throws. */
  get(url: string, options: { maxBytes: number; validators?: Validators | undefined }): Promise<WebAnswer>;
  /** Sends a body of JSON, and reads an answer of JSON with any status: those of errors say what is wrong. Never throws. */
  post(url: string, json: string, options: { maxBytes: number; timeoutMs?: number }): Promise<JsonAnswer>;
  close(): Promise<void>;
}

/** `value` is undefined for an answer that is not JSON. */
export type JsonAnswer = { httpStatus: number; text: string; value: unknown } | { finding: Finding };

/** Opens a client for the origin that the user named, which may be private. Redirects to other origins must be public and use https. */
export function openSourceClient(url?: string): SourceClient {
  const origin = url === undefined ? undefined : new URL(url).origin;
  const { requestMs: timeoutMs, silenceMs: idleTimeoutMs } = sourceLimits;
  const client = createHttpClient({
    policy: { privateOrigins: origin === undefined ? [] : [origin] },
    timeoutMs,
    idleTimeoutMs,
  });
  return {
    async get(address, { maxBytes, validators: { etag, lastModified } = {} }) {
      const headers = {
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
      };
      try {
        return readAnswer(await client.request({ url: address, method: 'GET', headers }, { maxBytes }), origin);
      } catch (error) {
        return { status: 'failed', finding: failure(address, error) };
      }
    },
    async post(address, json, limits) {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      try {
        const request = { url: address, method: 'POST', headers, body: json };
        const { status, body } = await client.request(request, { ...limits, redirect: 'manual' });
        const text = new TextDecoder().decode(body);
        return { httpStatus: status, text, value: parsedJson(text) };
      } catch (error) {
        return { finding: failure(address, error) };
      }
    },
    close: () => client.close(),
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Allows plain HTTP only for private hosts: without TLS, anyone in between could change schemas. */
export async function plainHttpProblem(address: string): Promise<Finding | undefined> {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' || (await isPrivateHost(url.hostname))) return undefined;
  const message = `${url.host} is a public host, and http has no TLS`;
  return sourceFinding('SRC001', message, { hint: 'Use https.' });
}

async function isPrivateHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => !isPublicAddress(address));
}

function readAnswer(
  { status, statusText, headers, body, url, redirects }: HttpAnswer,
  origin: string | undefined,
): WebAnswer {
  const plain = redirects.find(({ to }) => to.startsWith('http:') && new URL(to).origin !== origin);
  if (plain !== undefined) {
    const message = `${shown(plain.from)} redirects to an address without TLS`;
    return { status: 'failed', finding: sourceFinding('SRC001', message, { hint: 'Use an https address.' }) };
  }
  if (status === 200) {
    const { etag, 'last-modified': lastModified } = headers;
    const serviceDesc = linksOf(headers.link, url);
    const validators = { ...(isShort(etag) && { etag }), ...(isShort(lastModified) && { lastModified }) };
    return { status: 'read', bytes: body, url, validators, serviceDesc };
  }
  const message = `${shown(url)} answered ${status} ${statusText}`.trimEnd();
  const finding = sourceFinding('SRC002', message, { hint: statusHint(status) });
  if (status === 304) return { status: 'failed', finding, notModified: url };
  return { status: status === 404 || status === 410 ? 'missing' : 'failed', finding, httpStatus: status };
}

/** @see https://www.rfc-editor.org/rfc/rfc8288 */
function linksOf(header: string | undefined, base: string): string[] {
  const links = (header ?? '').matchAll(/<([^<>]*)>\s*;[^<]*\brel="?(?:[^"<]*\s)?service-desc\b/g);
  return [...links].flatMap(([, target = '']) => URL.parse(target, base)?.href ?? []);
}

/** They are stored in `_source.json` and sent back. */
function isShort(header: string | undefined): header is string {
  return header !== undefined && header !== '' && header.length <= 500;
}

function statusHint(status: number): string {
  if (status === 404 || status === 410) return 'Check the address: it must be the URL of the file itself.';
  if (status === 401 || status === 403) return 'The server requires a login. Import private sources with git.';
  return status >= 500 || status === 429 ? 'Try again later.' : 'Open the address in a browser to see what it is.';
}

/** Replaces hints of the HTTP client that address programs. */
const hints: Readonly<Record<string, string>> = {
  ADDRESS_BLOCKED: 'A source may not redirect to another private address.',
  ETIMEDOUT: 'Try again later.',
};

function failure(address: string, error: unknown): Finding {
  if (!(error instanceof HttpError)) return sourceFinding('SRC002', `${shown(address)}: ${String(error)}`);
  const { code, message, hint } = error;
  if (code === 'TOO_LARGE') {
    return sourceFinding('SRC006', `${shown(address)} is too large: ${message}`);
  }
  return sourceFinding('SRC002', `cannot read ${shown(address)}: ${message}`, { hint: hints[code] ?? hint });
}

/** Without the query, which may contain a key. */
function shown(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'the address' : `${url.origin}${url.pathname}`;
}
