// Loads every schema of a folder twice, one after the other, and prints what both took in milliseconds.
// Arguments: `import` or `schemakit`, and the folder.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Measurement } from '../statistics/comparison.ts';

const [side = '', folder = ''] = process.argv.slice(2);
const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
const files = names.map((name) => join(folder, name)).sort();
const load = side === 'import' ? importFile : await schemaLoader();

const first = await measureLoading();
const second = await measureLoading();
process.stdout.write(JSON.stringify({ first, second }));

async function measureLoading(): Promise<Measurement> {
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  for (const file of files) await load(file);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { value: performance.now() - begun, cpu: (user + system) / 1000 };
}

async function importFile(file: string): Promise<void> {
  const { main } = await import(pathToFileURL(file).href);
  if (main === undefined) throw new Error(`${file} has no main`);
}

async function schemaLoader(): Promise<(file: string) => Promise<void>> {
  const { SchemaKit } = await import('@schemakit/core');
  return async (filePath) => {
    const { status, messages } = await SchemaKit.loadSchema({ filePath });
    if (!status) throw new Error(`${filePath}: ${messages.join('; ')}`);
  };
}
