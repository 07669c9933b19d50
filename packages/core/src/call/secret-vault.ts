import { randomBytes } from 'node:crypto';
import { createScrubber, scrubJson } from '@schemakit/http';
import { isForm, type SecretValues } from './plan-request.ts';

/**
 * The secrets of one call. Handler code and request plans see tokens; the values take their places only in the request that
 * leaves, and are masked, like the tokens, in everything that comes back.
 */
export interface SecretVault {
  /** What handlers and plans see: a token for each secret, or its value where the schema was granted it. */
  visible: SecretValues;
  /** Tells whether a handler sees a token in place of this secret's value. */
  isToken(name: string): boolean;
  /** The values, for an HTTP client that must not carry them to another origin. */
  values: readonly string[];
  /** Puts the values in a URL, percent-encoded. */
  revealUrl(url: string): string;
  revealHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
  /** Puts the values in a body, written as the content type of the headers asks for. */
  revealBody(body: string, headers: Readonly<Record<string, string>>): string;
  /** Writes something in place of each token, such as the name of its secret. */
  replaceTokens(text: string, write: (name: string) => string): string;
  /** Tells whether text has a token or a value in it, the value in any spelling that `scrub` masks. */
  holdsSecret(text: string): boolean;
  /** Masks every value and token in text, in the spellings in which they could leave. */
  scrub(text: string): string;
  /** Masks every value and token in the texts and keys of plain data. */
  scrubData(data: unknown): unknown;
  /** Whether JSON text alone tells that `scrubData` would find nothing in what it says: much faster, and false where it cannot tell. */
  clearsJson(text: string): boolean;
}

/** Opens a vault for each call of a tool. Made once for a set of server parameters, since a scrubber takes time to build. */
export type OpenVault = (options: { hasHandlers: boolean }) => SecretVault;

/** Makes the vaults for server parameters; `granted` names those whose values handlers may read. */
export function createVaults(serverParams: SecretValues, granted: readonly string[] = []): OpenVault {
  const values = Object.values(serverParams).filter((value) => value !== '');
  if (values.length === 0) return () => emptyVault;
  const scrubWhole = createScrubber(values);
  const scrub = (text: string) => maskCutEnd(scrubWhole(text), values);
  const holdsSecret = (text: string) => values.some((value) => text.includes(value)) || scrubWhole(text) !== text;
  const plain: SecretVault = {
    // Without handlers nothing stands between the plan and the wire, so the plan may hold the values themselves.
    ...emptyVault,
    visible: serverParams,
    values,
    holdsSecret,
    scrub,
    scrubData: (data) => scrubJson(data, scrub),
    clearsJson: (text) => isTelling(text) && scrub(text) === text,
  };
  return ({ hasHandlers }) => (hasHandlers ? tokenVault(serverParams, granted, plain) : plain);
}

/** With handlers: tokens that are new in each call, so that one which a handler tells somebody is worth nothing later. */
function tokenVault(serverParams: SecretValues, granted: readonly string[], plain: SecretVault): SecretVault {
  // One alphabet that needs no escaping in URLs, headers, JSON and forms, so that a token survives all of them.
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
    isToken: (name) => Object.hasOwn(serverParams, name) && !granted.includes(name),
    revealUrl: (url) => reveal(url, encodeURIComponent),
    revealHeaders: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, reveal(text, (value) => value)])),
    revealBody: (body, headers) =>
      reveal(body, isForm(headers) ? encodeURIComponent : isJson(headers, body) ? asJsonText : (value) => value),
    replaceTokens,
    holdsSecret: (text) => text.includes(prefix) || plain.holdsSecret(text),
    scrub,
    scrubData: (data) => scrubJson(data, scrub),
    clearsJson: (text) => isTelling(text) && scrub(text) === text,
  };
}

/**
 * Whether a scrubber finds in JSON what it finds in the texts that are in it: not where they are escaped deeper than it looks, and
 * not where one ends with an ellipsis, and so perhaps with a part of a secret.
 */
function isTelling(json: string): boolean {
  return !json.includes(deepestEscape) && !json.includes('…');
}

const deepestEscape = '\\'.repeat(8);

/** Long text is cut before it gets here; the cut may have left the beginning of a secret at its end. */
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
  holdsSecret: () => false,
  scrub: (text) => text,
  scrubData: (data) => data,
  clearsJson: () => true,
};

/** Many handlers send JSON and do not say so: a quote in a secret must not end its text there either. */
function isJson(headers: Readonly<Record<string, string>>, body: string): boolean {
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return /[/+]json\b/i.test(type) || /^\s*[[{"]/.test(body);
}

function asJsonText(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
