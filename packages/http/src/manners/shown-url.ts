import { createScrubber } from '../scrubber.ts';

const mask = '[REDACTED]';

/** Parameters that hold signatures and keys of URLs that are valid by themselves (OpenTelemetry semantic conventions, `url.full`). */
const alwaysSecret: ReadonlySet<string> = new Set([
  'awsaccesskeyid',
  'signature',
  'sig',
  'x-goog-signature',
  'x-amz-signature',
]);

/** An origin for people: parts of its host that hold a secret, such as the name of a customer, are masked. */
export function shownOrigin({ protocol, host }: Pick<URL, 'protocol' | 'host'>, secrets: readonly string[]): string {
  return `${protocol}//${shownHost(host, secrets)}`;
}

export function shownHost(host: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return host;
  // Hosts have lost the case of their letters.
  const lower = secrets.map((secret) => secret.toLowerCase()).filter((secret) => secret !== '');
  return host
    .split('.')
    .map((label) =>
      lower.some((secret) => label === secret || (isLong(secret) && label.includes(secret))) ? mask : label,
    )
    .join('.');
}

/**
 * A URL for traces: segments of its path and values of its query that hold a secret are masked as a whole. Short secrets too,
 * which elsewhere are left alone: here, too much masked costs nothing.
 */
export function shownUrl(url: URL, secrets: readonly string[]): string {
  const scrub = createScrubber(secrets);
  const short = secrets.filter((secret) => secret !== '' && !isLong(secret));
  const isSecret = (text: string): boolean => {
    const plain = decoded(text);
    return scrub(text) !== text || scrub(plain) !== plain || short.some((secret) => plain.includes(secret));
  };
  const path = url.pathname
    .split('/')
    .map((segment) => (isSecret(segment) ? mask : segment))
    .join('/');
  const query = url.search
    .slice(1)
    .split('&')
    .map((pair) => shownPair(pair, isSecret))
    .join('&');
  return `${shownOrigin(url, secrets)}${path}${query && `?${query}`}`;
}

function shownPair(pair: string, isSecret: (text: string) => boolean): string {
  const [name = '', ...value] = pair.split('=');
  if (isSecret(name)) return mask;
  const isHidden = alwaysSecret.has(decoded(name).toLowerCase()) || isSecret(value.join('='));
  return isHidden ? `${name}=${mask}` : pair;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Those are found by the scrubber. */
function isLong(secret: string): boolean {
  return secret.trim().length >= 6;
}
