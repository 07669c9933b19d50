import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/schemakit.js', import.meta.url));

/** An MCP client of a `schemakit run` that serves one schema. */
export interface SchemakitClient {
  client: Client;
  /** What the server wrote to its standard error so far. */
  log(): string;
  close(): Promise<void>;
}

/**
 * Copies a schema to a temporary folder with another `root`, serves it with `schemakit run` over stdio, and connects.
 *
 * @param options.file The schema.
 * @param options.root What takes the place of `http://127.0.0.1:<port>` in it.
 * @param options.env Secrets of the schema. Nothing else of this process's environment reaches the server but what it
 *   needs to start; its home is the temporary folder.
 */
export async function connectToSchema(options: {
  file: string;
  root: string;
  env?: Record<string, string>;
}): Promise<SchemakitClient> {
  const { file, root, env = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-e2e-'));
  const copy = join(folder, basename(file));
  await writeFile(copy, (await readFile(file, 'utf8')).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, root));

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'run', copy],
    env: { ...getDefaultEnvironment(), HOME: folder, ...env },
    cwd: folder,
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (text) => {
    log += text;
  });
  const client = new Client({ name: 'schemakit-e2e', version: '1.0.0' });
  const close = async () => {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await client.connect(transport);
  } catch (error) {
    await close();
    throw new Error(`schemakit run ${copy} did not answer\n${log}`, { cause: error });
  }
  return { client, log: () => log, close };
}
