import { distinct, field, type PlainObject, texts } from '../../findings/plain-object.ts';
import { EXTENSION_HEADERS } from './get-card.ts';

/** The payment extensions of an agent, as its card declares them and its headers confirm them. */
export interface PaymentExtensions {
  /** URIs that the card declares. */
  uris: string[];
  /** The headers that tell of activated extensions. */
  header: string | null;
  ap2: { version: string | null; roles: string[]; isDeclared: boolean } | undefined;
  x402: { version: string | null } | undefined;
}

const ROLES = ['merchant', 'shopper', 'credentials-provider', 'payment-processor'] as const;

const MAX_EXTENSIONS = 100;
const MAX_URI = 500;

// Words, not parts of words: the URIs of x402 are in the organization `google-agentic-commerce`, too.
const X402 = /(?<![a-z0-9])x402(?![a-z0-9])/i;
const AP2 = /(?<![a-z0-9])(?:ap2|agent-payments)(?![a-z0-9])/i;
const VERSION = /[/@]v?(\d+(?:\.\d+)*)(?=[/;?#\s]|$)/gi;

export function paymentExtensions(
  capabilities: PlainObject,
  headers: Readonly<Record<string, string>>,
): PaymentExtensions {
  const list = field(capabilities, 'extensions');
  const declared = (Array.isArray(list) ? list : []).slice(0, MAX_EXTENSIONS).flatMap((entry: unknown) => {
    const uri = typeof entry === 'string' ? entry : field(entry, 'uri');
    return typeof uri === 'string' ? [{ uri: uri.slice(0, MAX_URI), params: field(entry, 'params') }] : [];
  });
  const sent = EXTENSION_HEADERS.flatMap((name) => headers[name] ?? []).map((text) => text.slice(0, 4 * MAX_URI));
  const activated = sent.flatMap((text) => text.split(',')).map((uri) => uri.trim());
  const uris = [...declared.map(({ uri }) => uri), ...activated];
  const x402 = uris.filter((uri) => X402.test(uri));
  const ap2 = uris.filter((uri) => AP2.test(uri) && !X402.test(uri));
  const params = declared.filter(({ uri }) => ap2.includes(uri)).map((entry) => entry.params);
  const roles = rolesIn(params, sent);
  return {
    uris: distinct(declared.map(({ uri }) => uri)),
    header: sent.length === 0 ? null : distinct(sent).join(', '),
    ap2: ap2.length === 0 ? undefined : { version: versionIn(ap2), roles, isDeclared: params.length > 0 },
    x402: x402.length === 0 ? undefined : { version: versionIn(x402) },
  };
}

function versionIn(uris: readonly string[]): string | null {
  const versions = uris.flatMap((uri) => [...uri.matchAll(VERSION)].at(-1)?.[1] ?? []);
  return versions[0] ?? null;
}

function rolesIn(params: readonly unknown[], headers: readonly string[]): string[] {
  const listed = params.flatMap((entry) => [...texts(field(entry, 'roles')), ...texts([field(entry, 'role')])]);
  const words = headers.flatMap((text) => text.toLowerCase().match(/[a-z-]+/g) ?? []);
  return ROLES.filter((role) => listed.includes(role) || words.includes(role));
}
