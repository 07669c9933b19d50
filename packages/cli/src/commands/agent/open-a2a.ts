import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { failed, usageError } from '../../output/command-result.ts';
import type { Opened } from './create-agent.ts';

export interface A2AFlags {
  a2a: boolean;
  a2aUrl?: string;
  a2aKey?: string;
}

type CreateA2A = typeof import('@schemakit/agent-server/a2a').createA2A;

/** What serves A2A, with its flags; undefined without `--a2a`. */
export async function openA2A({
  a2a,
  a2aUrl: url,
  a2aKey,
}: A2AFlags): Promise<Opened<{ endpointsOf?: (options: Parameters<CreateA2A>[0]) => ReturnType<CreateA2A> }>> {
  const refuse = (error: string, fix: string) => ({ ok: false as const, result: usageError(error, fix) });
  if (!a2a && (url ?? a2aKey) !== undefined) return refuse('--a2a-url and --a2a-key need --a2a.', 'Add --a2a.');
  if (!a2a) return { ok: true };
  let signingKey: KeyObject | undefined;
  try {
    if (a2aKey !== undefined) signingKey = createPrivateKey(readFileSync(a2aKey));
  } catch (error) {
    // What OpenSSL says of a file that is no key helps nobody.
    const reason = (error as NodeJS.ErrnoException).syscall ? (error as Error).message : 'this is no private key (PEM)';
    return refuse(`--a2a-key: ${reason}`, 'Name a file with a private key (PEM).');
  }
  if (signingKey && url === undefined)
    return refuse(
      '--a2a-key needs --a2a-url: the URL is signed, too.',
      'Add --a2a-url https://agents.example.com/a2a.',
    );
  try {
    const { createA2A } = await import('@schemakit/agent-server/a2a');
    const given = { ...(url !== undefined && { url }), ...(signingKey && { signingKey }) };
    return { ok: true, endpointsOf: (options) => createA2A({ ...options, ...given }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const fix = 'Run: npm install @a2a-js/sdk (with -g where schemakit is installed with it)';
    return { ok: false, result: failed('notFound', { error: '--a2a needs the package @a2a-js/sdk.', fix }) };
  }
}
