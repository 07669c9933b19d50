import type { LoadedSchema } from '@schemakit/core';
import { tokenEndpointOf } from '@schemakit/core/internal';
import { ask, canAsk } from '../../output/confirm.ts';
import { printable } from '../../output/terminal-text.ts';

interface ApproveOptions {
  /** What the user named: the address of a description, a server, a curl command. */
  named: string;
  serverParams: Readonly<Record<string, string>>;
}

/**
 * The files whose requests may have secrets and go to private addresses, as those of the user's own schemas do. The description may be a
 * stranger's: it could name any secret and any address. So the user has named the address, or says yes to it.
 */
export async function approveOrigins(
  schemas: readonly LoadedSchema[],
  { named, serverParams }: ApproveOptions,
): Promise<ReadonlySet<string>> {
  const approved = originsIn(named);
  const declined = new Set<string>();
  const files = new Set<string>();
  for (const schema of schemas) {
    const { root, requiredServerParams } = (schema.main ?? {}) as { root?: string; requiredServerParams?: string[] };
    const origins = [root ?? '', tokenEndpointOf(schema)?.url ?? root ?? ''].map(
      (url) => URL.parse(url)?.origin ?? url,
    );
    const secrets = (requiredServerParams ?? []).filter((name) => serverParams[name]);
    for (const origin of new Set(origins)) {
      if (approved.has(origin) || declined.has(origin) || secrets.length === 0 || !canAsk()) continue;
      const isAllowed = await ask(printable(`Send ${secrets.join(', ')} to ${origin}, which the description names?`));
      (isAllowed ? approved : declined).add(origin);
    }
    if (origins.every((origin) => approved.has(origin))) files.add(schema.file);
  }
  return files;
}

function originsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/https?:\/\/[^\s'"?#]+/gi)].flatMap(([url]) => URL.parse(url)?.origin ?? []));
}
