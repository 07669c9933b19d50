import type { Finding } from '@schemakit/core';
import type { Offer, OfferReading } from './offer.ts';
import { type RegistryReading, readRegistry } from './read-registry.ts';
import type { SourceClient } from './source-client.ts';
import type { SourceLimits } from './source-limits.ts';
import type { SourceState, Validators } from './source-state.ts';

/** Asks for a registry on the web, and reads the files that it lists from beside it (RFC 3986 5.1.3). */
export async function openRegistry({
  url,
  client,
  limits,
  state,
}: {
  url: string;
  client: SourceClient;
  limits: SourceLimits;
  /** What was imported from it before. */
  state?: SourceState | undefined;
}): Promise<OfferReading> {
  const answer = await client.get(url, { maxBytes: limits.registryBytes, validators: knownValidators(state) });
  if (answer.status === 'missing' || answer.status === 'failed') return failed(answer.finding);
  const isUnchanged = answer.status === 'unchanged';
  const text = isUnchanged ? JSON.stringify(state?.registry) : new TextDecoder().decode(answer.bytes);
  const reading: RegistryReading = readRegistry(text, { place: withoutQuery(url), limits });
  if (!reading.ok) return failed(reading.finding);
  const { name, version, baseDir, files, refused, findings, document } = reading.registry;
  const base = baseOf(answer.url, baseDir);
  const read: Offer['read'] = (path, { validators } = {}) =>
    client.get(addressBelow(base, path), { maxBytes: limits.fileBytes, validators });
  const validators = isUnchanged ? (state?.validators ?? {}) : (answer.validators ?? {});
  const address = { type: 'registry', url } as const;
  return {
    ok: true,
    offer: { address, name, revision: version, files, refused, findings, registry: document, validators, read },
  };
}

/** A registry that was not kept as a whole has to be sent again. */
function knownValidators(state: SourceState | undefined): Validators | undefined {
  return state?.registry === null ? undefined : state?.validators;
}

/** The folder of the registry, and the base folder in it, unless the registry is in that folder already. */
function baseOf(registryUrl: string, baseDir: string): URL {
  const folder = new URL('.', registryUrl);
  const isInside = baseDir === '' || folder.pathname.endsWith(`/${encodedPath(baseDir)}/`);
  return isInside ? folder : new URL(`${encodedPath(baseDir)}/`, folder);
}

function addressBelow(base: URL, path: string): string {
  return new URL(`./${encodedPath(path)}`, base).href;
}

function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function failed(finding: Finding): OfferReading {
  return { ok: false, findings: [finding] };
}
