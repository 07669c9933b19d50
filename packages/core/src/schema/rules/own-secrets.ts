import type { Place } from '../rule-report.ts';
import type { Credentials, Placement, Schema, Signature, Tool } from '../schema.ts';
import type { Template } from '../template.ts';
import type { AuthParts } from './auth.ts';

export function credentialTemplates(credentials: Credentials | undefined): Template[] {
  if (credentials === undefined) return [];
  if (credentials.type === 'basic') return [credentials.username, credentials.password];
  return [credentials.url, credentials.clientId, credentials.clientSecret];
}

export function signatureTemplates(signature: Signature | undefined): Template[] {
  if (signature === undefined) return [];
  const { secret, message, prefix, headers, query } = signature;
  return [secret, message, prefix, ...[...headers, ...query].map(([, value]) => value)];
}

/** The parameters without those for places that `auth` and `signature` fill: they would replace or double a credential. */
export function withoutOwnPlaces(
  placements: readonly Placement[],
  { auth, signature, path, report }: Place & { auth: AuthParts; signature: Signature | undefined },
): readonly Placement[] {
  const { headers = [], query = [] } = signature ?? {};
  const own = new Set([
    ...(auth.header ? [placeOf('header', auth.header.name)] : []),
    ...(auth.placement ? [placeOf(auth.placement.location, auth.placement.key)] : []),
    ...(signature ? [placeOf(signature.in, signature.name)] : []),
    ...headers.map(([name]) => placeOf('header', name)),
    ...query.map(([name]) => placeOf('query', name)),
  ]);
  return placements.filter(({ location, key }) => {
    if (!own.has(placeOf(location, key))) return true;
    const message = `auth or signature sets the ${location} ${key}, so the parameter is not sent (${path})`;
    const hint = 'Remove the parameter, or write auth: false for a tool without auth and signature.';
    report('VAL077', `${path}.parameters`, message, hint);
    return false;
  });
}

/** Names of headers are the same in upper and lower case. */
function placeOf(location: Placement['location'], name: string): string {
  return `${location} ${location === 'header' ? name.toLowerCase() : name}`;
}

/** The secrets that only `auth` and `signature` use, and where they go besides the root. */
export function ownSecretsOf(
  tools: ReadonlyMap<string, Tool>,
  credentials: Credentials | undefined,
  signature: Signature | undefined,
): Pick<Schema, 'ownSecrets' | 'tokenEndpoint'> {
  const elsewhere = new Set(
    secretsIn(
      [...tools.values()].flatMap(({ url, headers, placements }) => [
        url,
        ...[...headers, ...placements].map(({ value }) => value),
      ]),
    ),
  );
  const signing = secretsIn(signatureTemplates(signature));
  const names = secretsIn(credentialTemplates(credentials));
  const ownSecrets = [...new Set([...names, ...signing])].filter((name) => !elsewhere.has(name));
  if (credentials?.type !== 'oauth2') return { ownSecrets };
  return { ownSecrets, tokenEndpoint: { url: credentials.tokenUrl, secrets: names } };
}

export function secretsIn(templates: readonly Template[]): readonly string[] {
  const names = templates.flat().flatMap((part) => (part.kind === 'secret' ? part.name : []));
  return [...new Set(names)];
}
