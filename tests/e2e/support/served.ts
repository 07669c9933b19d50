import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { mainWith, moduleText } from './schema-module.ts';
import { temporaryFolder } from './temporary-folder.ts';

const command = resolve('packages/cli/bin/schemakit.js');

export interface Served {
  child: ChildProcess;
  url: string;
  document: Record<string, unknown>;
  stderr: () => string;
}

/** `schemakit serve`, or another command that serves, once it listens. */
export async function serve(
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd, words = ['serve'] }: { cwd?: string; words?: readonly string[] } = {},
): Promise<Served> {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const child = spawn(process.execPath, [command, ...words, ...port, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let stdout = '';
  child.stdout.setEncoding('utf8');
  while (!stdout.trimEnd().endsWith('}')) {
    const [text] = await once(child.stdout, 'data');
    stdout += text;
  }
  const document = JSON.parse(stdout);
  return { child, url: document.url, document, stderr: () => stderr };
}

/** A client of a server, with a token where that asks for one. */
export async function connect(url: string, token?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  const requestInit = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** The names of the tools that a client is offered. */
export async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** A folder with schemas: fields of `main` by the names of files. */
export async function folderOf(files: Readonly<Record<string, Record<string, unknown>>>): Promise<string> {
  const entries = Object.entries(files).map(([name, main]) => [name, moduleText(mainWith(main))]);
  return temporaryFolder(Object.fromEntries(entries));
}
