import type { LockGrants } from '@schemakit/core';

export type GrantsReading = { ok: true; grants: LockGrants } | { ok: false; problem: string; fix: string };

/** Reads `--secret` and `--network`. */
export function readGrants({
  secret = [],
  network = [],
}: {
  secret?: readonly string[];
  network?: readonly string[];
}): GrantsReading {
  const origins = network.filter((word) => word !== 'any').map((word) => ({ word, origin: originOf(word) }));
  const wrong = origins.find(({ origin }) => origin === undefined);
  if (wrong !== undefined) {
    return {
      ok: false,
      problem: `"${wrong.word}" is no origin.`,
      fix: 'Write --network https://api.example.com, or --network any.',
    };
  }
  const named = origins.flatMap(({ origin }) => origin ?? []);
  return { ok: true, grants: { network: network.includes('any') ? 'any' : named, secrets: secret } };
}

/** An origin as URLs have it; undefined for text with a path, another scheme or no host. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isWeb && url.href === `${url.origin}/` ? url.origin : undefined;
}
