import type { Credentials, Schema, Signature, Tool } from '../schema.ts';
import type { Template } from '../template.ts';

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
  const only = names.filter((name) => ownSecrets.includes(name) && !signing.includes(name));
  return { ownSecrets, tokenEndpoint: { url: credentials.tokenUrl, secrets: names, only } };
}

export function secretsIn(templates: readonly Template[]): readonly string[] {
  const names = templates.flat().flatMap((part) => (part.kind === 'secret' ? part.name : []));
  return [...new Set(names)];
}
