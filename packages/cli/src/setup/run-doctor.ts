import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import type { CommandResult } from '../output/command-result.ts';
import { readSettings } from '../settings/read-settings.ts';
import { type Check, checkSettings, checksText } from './check-settings.ts';

/** `schemakit doctor`: what `status` looks at, and whether this machine can run handlers. The network is not tried. */
export async function doctor(): Promise<CommandResult> {
  const checks = [...(await checkSettings(readSettings())), ...(await checkMachine())];
  const faults = checks.filter(({ ok }) => ok === false);
  const [first] = faults;
  const text = () => checksText(checks);
  if (first === undefined) return { document: { status: true, checks }, text };
  const error = `${faults.length} of ${checks.length} checks failed: ${faults.map(({ name }) => name).join(', ')}.`;
  const fix = first.fix === undefined ? {} : { fix: first.fix };
  return { document: { status: false, error, ...fix, checks }, text };
}

const probe = `export const main = {
  namespace: 'probe', name: 'Probe', description: 'Asks a handler for one word', version: '3.0.0',
  root: 'local://probe', requiredServerParams: [], requiredLibraries: [], headers: {},
  tools: { ask: { method: 'GET', path: '/', description: 'Ask', parameters: [] } },
};
export const handlers = () => ({
  ask: { executeRequest: async ({ struct }) => ({ struct: { ...struct, status: true, data: 'ready' } }) },
});
`;

async function checkMachine(): Promise<Check[]> {
  const level = 6;
  return [
    // The command itself refuses to start on an older one.
    { level, name: 'node', ok: true, detail: process.versions.node },
    { level, name: 'handlers', ...(await startHandler()) },
    { level, name: 'network', ok: null, detail: 'not tried' },
  ];
}

async function startHandler(): Promise<Pick<Check, 'ok' | 'detail' | 'fix'>> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-doctor-'));
  try {
    const filePath = join(folder, 'probe.mjs');
    await writeFile(filePath, probe);
    const schema = await SchemaKit.loadSchema({ filePath });
    const { status, messages } = await SchemaKit.fetch({ schema, routeName: 'ask' });
    if (status) return { ok: true, detail: 'a handler ran in a process of its own' };
    const fix = 'Handlers need a second Node.js process; check limits on processes and memory.';
    return { ok: false, detail: `no handler can run: ${[...schema.messages, ...messages].join('; ')}`, fix };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
