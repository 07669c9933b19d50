import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const command = resolve('packages/cli/bin/schemakit.js');

export interface CommandRun {
  status: number | null;
  /** What was written to stdout, which is one JSON document or nothing. */
  json: Record<string, unknown>;
  stderr: string;
}

interface CommandOptions {
  cwd: string;
  env?: Record<string, string>;
}

/** The command with nobody at a terminal, as a script or an MCP client starts it. */
export function runCommand(args: readonly string[], { cwd, env = {} }: CommandOptions): CommandRun {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', input: '', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], options);
  return { status, json: stdout === '' ? {} : JSON.parse(stdout), stderr };
}

/** The same, while the test goes on: for a command that talks to an API in this process. */
export async function startCommand(args: readonly string[], { cwd, env = {} }: CommandOptions): Promise<CommandRun> {
  const child = spawn(process.execPath, [command, ...args], { cwd, env: { ...process.env, ...env }, timeout: 60_000 });
  child.stdin.end();
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, json: stdout() === '' ? {} : JSON.parse(stdout()), stderr: stderr() };
}

/** Whether `script` of util-linux is there, which gives a command a terminal. */
export const hasTerminal: boolean =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

/** The command at a terminal, where a person types an answer. What it wrote comes as the terminal shows it. */
export async function runAtTerminal(
  args: readonly string[],
  answer: string,
  { cwd, env = {} }: CommandOptions,
): Promise<{ status: number | null; screen: string }> {
  const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
    cwd,
    env: { ...process.env, TERM: 'dumb', ...env },
    timeout: 60_000,
  });
  const screen = collect(child.stdout);
  child.stdout.on('data', () => {
    if (screen().includes('[y/N]') && !child.stdin.writableEnded) child.stdin.end(answer);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, screen: screen() };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}
