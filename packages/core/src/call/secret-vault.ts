import { randomBytes } from 'node:crypto';
import { createScrubber, scrubJson } from '@schemakit/http';
import { isForm } from './request/encode-body.ts';
import type { SecretValues } from './request/template-value.ts';

/**
 * The secrets of one call. Handlers and request plans see tokens; the values replace them only in the outgoing request. Values
 * and tokens are masked in everything that comes back.
 */
export interface SecretVault {
  /** For handlers and plans: a token for each secret, or its value if the schema was granted it. */
  visible: SecretValues;
  /** Whether handlers see a token instead of this secret's value. */
  isToken(name: string): boolean;
  /** The values, for an HTTP client that must not send them to another origin. */
  values: readonly string[];
  /** Inserts the values in a URL, percent-encoded. */
  revealUrl(url: string): string;
  revealHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
  /** Inserts the values in a body, encoded for its content type. */
  revealBody(body: string, headers: Readonly<Record<string, string>>): string;
  /** Replaces each token, for example by the name of its secret. */
  replaceTokens(text: string, write: (name: string) => string): string;
  /** Whether text contains a token, or a value in any encoding that `scrub` masks. */
  containsSecret(text: string): boolean;
  /** Masks all values and tokens in text, in all encodings that the scrubber knows. */
  scrub(text: string): string;
  /** Masks all values and tokens in the texts and keys of plain data. */
  scrubData(data: unknown): unknown;
  /** Masks JSON numbers that contain a secret: parsed as a number, a long one would lose its last digits and so stay unnoticed. */
  scrubNumbers(json: string): string;
  /** Whether JSON text certainly contains no secrets, so that `scrubData` is not needed; much faster. */
  jsonHasNoSecrets(text: string): boolean;
}

/** Opens a vault for each call of a tool. Created once for a set of server parameters, since a scrubber takes time to build. */
export type OpenVault = (options: { hasHandlers: boolean }) => SecretVault;

/**
 * Creates the vaults for server parameters. `granted` names those whose values handlers may read, `hidden` those that they do not
 * see at all.
 */
export function createVaults(
  serverParams: SecretValues,
  { granted = [], hidden = [] }: { granted?: readonly string[]; hidden?: readonly string[] } = {},
): OpenVault {
  const values = Object.values(serverParams).filter((value) => value !== '');
  if (values.length === 0) return () => emptyVault;
  const scrubWhole = createScrubber(values);
  const numbers = values.filter((value) => /^[-+.\deE]{6,}$/.test(value));
  const scrub = (text: string) => maskCutEnd(scrubWhole(text), values);
  const containsSecret = (text: string) => values.some((value) => text.includes(value)) || scrubWhole(text) !== text;
  const plain: SecretVault = {
    // Without handlers no foreign code sees the plan, so it may contain the values themselves.
    ...emptyVault,
    visible: serverParams,
    values,
    containsSecret,
    scrub,
    scrubData: (data) => scrubJson(data, scrub),
    scrubNumbers: (json) => (numbers.some((value) => json.includes(value)) ? maskNumbers(json, scrub) : json),
    jsonHasNoSecrets: (text) => canScanAsText(text) && scrub(text) === text,
  };
  const seen = Object.entries(serverParams).filter(([name]) => granted.includes(name) || !hidden.includes(name));
  return ({ hasHandlers }) => (hasHandlers ? tokenVault(Object.fromEntries(seen), granted, plain) : plain);
}

/** For tools with handlers: the tokens are new in each call, so that a leaked one is worthless later. */
function tokenVault(serverParams: SecretValues, granted: readonly string[], plain: SecretVault): SecretVault {
  // Only characters that need no escaping in URLs, headers, JSON and forms.
  const prefix = `schemakit-${randomBytes(12).toString('hex')}-`;
  const names = Object.keys(serverParams);
  const token = (index: number) => `${prefix}${index}-end`;
  const pattern = new RegExp(`${prefix}(\\d+)-end`, 'g');
  const replaceTokens = (text: string, write: (name: string) => string) =>
    text.replace(pattern, (_, index: string) => write(names[Number(index)] ?? ''));
  const reveal = (text: string, write: (value: string) => string) =>
    replaceTokens(text, (name) => write(serverParams[name] ?? ''));
  const scrub = (text: string) => plain.scrub(text).replace(pattern, '[REDACTED]');
  return {
    visible: Object.fromEntries(
      names.map((name, index) => [name, granted.includes(name) ? (serverParams[name] ?? '') : token(index)]),
    ),
    values: plain.values,
    scrubNumbers: plain.scrubNumbers,
    isToken: (name) => Object.hasOwn(serverParams, name) && !granted.includes(name),
    revealUrl: (url) => reveal(url, encodeURIComponent),
    revealHeaders: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, reveal(text, (value) => value)])),
    revealBody: (body, headers) =>
      reveal(
        body,
        isForm(headers)
          ? encodeURIComponent
          : isJson(headers, body)
            ? (value) => JSON.stringify(value).slice(1, -1)
            : (value) => value,
      ),
    replaceTokens,
    containsSecret: (text) => text.includes(prefix) || plain.containsSecret(text),
    scrub,
    scrubData: (data) => scrubJson(data, scrub),
    jsonHasNoSecrets: (text) => canScanAsText(text) && scrub(text) === text,
  };
}

/**
 * Whether scanning JSON text finds all secrets in its strings: not if they are escaped too deeply for the scrubber, or if one ends
 * with an ellipsis and so perhaps with a part of a secret.
 */
function canScanAsText(json: string): boolean {
  return !json.includes(deepestEscape) && !json.includes('…');
}

const deepestEscape = '\\'.repeat(16);

function maskNumbers(json: string, scrub: (text: string) => string): string {
  // TypeScript does not know of raw JSON, which keeps the digits of all other numbers.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const mask = (_key: string, value: unknown, context?: { source?: string }) => {
    const { source } = context ?? {};
    if (typeof value !== 'number' || source === undefined) return value;
    const masked = scrub(source);
    return masked === source ? rawJSON(source) : masked;
  };
  try {
    return JSON.stringify(JSON.parse(json, mask as (key: string, value: unknown) => unknown));
  } catch (error) {
    // Text that is no JSON has no numbers. JSON that is nested too deeply is masked as text.
    return error instanceof SyntaxError ? json : scrub(json);
  }
}

/** Long text may have been cut before, with the beginning of a secret left at its end. */
function maskCutEnd(text: string, values: readonly string[]): string {
  if (!text.endsWith('…')) return text;
  for (const value of values) {
    for (let length = value.length - 1; length >= shortestPart; length -= 1) {
      if (text.endsWith(`${value.slice(0, length)}…`)) return `${text.slice(0, -length - 1)}[REDACTED]…`;
    }
  }
  return text;
}

const shortestPart = 3;

const emptyVault: SecretVault = {
  visible: {},
  values: [],
  isToken: () => false,
  revealUrl: (url) => url,
  revealHeaders: (headers) => ({ ...headers }),
  revealBody: (body) => body,
  replaceTokens: (text) => text,
  containsSecret: () => false,
  scrub: (text) => text,
  scrubData: (data) => data,
  scrubNumbers: (json) => json,
  jsonHasNoSecrets: () => true,
};

/** Many handlers send JSON without its content type; a quote in a secret must be escaped there too. */
function isJson(headers: Readonly<Record<string, string>>, body: string): boolean {
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return /[/+]json\b/i.test(type) || /^\s*[[{"]/.test(body);
}
