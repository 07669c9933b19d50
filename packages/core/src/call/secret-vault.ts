import { randomBytes } from 'node:crypto';
import { createScrubber, scrubJson } from '@schemakit/http';
import { isForm } from './encode-body.ts';
import type { SecretValues } from './plan-request.ts';

/**
 * The secrets of one set of server parameters. Handler code and request plans see tokens; the values take their places
 * only in the request that leaves, and are masked in everything that comes back.
 */
export interface SecretVault {
  /** What handlers and plans see: a token for each secret, or its value where the schema was granted it. */
  visible: SecretValues;
  /** Puts the values in a URL, percent-encoded. */
  revealUrl(url: string): string;
  revealHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
  /** Puts the values in a body, written as the content type of the headers asks for. */
  revealBody(body: string, headers: Readonly<Record<string, string>>): string;
  /** Tells whether text has a token or a value in it. */
  holdsSecret(text: string): boolean;
  /** Masks every value in text, in the spellings in which it could leave. */
  scrub(text: string): string;
  /** Masks every value in the texts and keys of plain data. */
  scrubData(data: unknown): unknown;
  /** The values, for an HTTP client that must not carry them to another origin. */
  values: readonly string[];
}

// One alphabet that needs no escaping in URLs, headers, JSON and forms, so that a token survives all of them.
const prefix = `schemakit-${randomBytes(12).toString('hex')}-`;

/** Makes the vault for the server parameters of a call; `granted` names those that handlers may read. */
export function createSecretVault(serverParams: SecretValues, granted: readonly string[] = []): SecretVault {
  const names = Object.keys(serverParams);
  const values = names.map((name) => serverParams[name] ?? '').filter((value) => value !== '');
  if (values.length === 0) return emptyVault;
  const tokens = new Map<string, string>();
  const visible: Record<string, string> = {};
  names.forEach((name, index) => {
    const value = serverParams[name] ?? '';
    const token = `${prefix}${index}-end`;
    visible[name] = granted.includes(name) ? value : token;
    tokens.set(token, value);
  });
  const reveal = (text: string, write: (value: string) => string) =>
    text.includes(prefix) ? text.replace(tokenPattern, (token) => write(tokens.get(token) ?? '')) : text;
  const scrub = createScrubber(values);
  return {
    visible,
    values,
    revealUrl: (url) => reveal(url, encodeURIComponent),
    revealHeaders: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, reveal(text, (value) => value)])),
    revealBody: (body, headers) =>
      reveal(body, isForm(headers) ? encodeURIComponent : (value) => JSON.stringify(value).slice(1, -1)),
    holdsSecret: (text) => text.includes(prefix) || values.some((value) => text.includes(value)),
    scrub,
    scrubData: (data) => scrubJson(data, scrub),
  };
}

const tokenPattern = new RegExp(`${prefix}\\d+-end`, 'g');

const emptyVault: SecretVault = {
  visible: {},
  values: [],
  revealUrl: (url) => url,
  revealHeaders: (headers) => ({ ...headers }),
  revealBody: (body) => body,
  holdsSecret: () => false,
  scrub: (text) => text,
  scrubData: (data) => data,
};
