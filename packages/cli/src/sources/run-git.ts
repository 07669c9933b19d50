import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { type Outcome, refuse } from './source-codes.ts';

interface GitOptions {
  /** The repository, for messages. */
  url: string;
  folder?: string;
  signal?: AbortSignal;
  input?: string;
  /** Maximum output, in bytes. Default 64 MiB. */
  maxBytes?: number;
  /** Default: ten minutes. */
  timeoutMs?: number;
}

/** Git settings: no hooks or templates, no redirects to other hosts. */
const settings = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'init.templateDir=',
  'color.ui=false',
].flatMap((setting) => ['-c', setting]);

/** Variables that point git to another repository (git rev-parse --local-env-vars). */
const repositoryVariables =
  /^GIT_(ALTERNATE_OBJECT_DIRECTORIES|CONFIG|OBJECT_DIRECTORY|DIR|WORK_TREE|IMPLICIT_WORK_TREE|GRAFT_FILE|INDEX_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|PREFIX|SHALLOW_FILE|COMMON_DIR|NAMESPACE|TRACE.*)$/;

/** No prompts and no lazy fetches. */
const variables = {
  GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GCM_INTERACTIVE: 'never',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
};

/** Runs git with the user's settings, but without a shell and prompts. Rejects only with the reason of the signal. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Outcome<Buffer>> {
  const { url, folder, signal, input = '', maxBytes = 64 * 2 ** 20, timeoutMs = 600_000 } = options;
  const env = Object.entries(process.env).filter(([name]) => !repositoryVariables.test(name));
  const child = spawn('git', [...settings, ...args], {
    ...(folder !== undefined && { cwd: folder }),
    env: { ...Object.fromEntries(env), ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own session has no terminal to prompt at, and can be killed with its children.
    detached: true,
    windowsHide: true,
  });
  let problem: string | undefined;
  const end = () => killGroup(child.pid);
  const stop = (reason: string) => {
    problem ??= reason;
    end();
  };
  const timer = setTimeout(() => stop(`git did not finish within ${timeoutMs / 1000} seconds`), timeoutMs);
  process.once('exit', end);
  signal?.addEventListener('abort', end);
  const output: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) stop(`git wrote more than ${maxBytes} bytes`);
    else output.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < 4000) stderr += text;
  });
  child.stdin.on('error', () => {}); // It may exit before it reads everything; only its status counts.
  child.stdin.end(input);
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', ({ message }) => {
      problem = message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  process.off('exit', end);
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  if (status === 0 && problem === undefined) return { ok: true, value: Buffer.concat(output) };
  return gitFailure(url, problem ?? stderr);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Already exited.
  }
}

function gitFailure(url: string, stderr: string): Outcome<never> {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  // Leaves out advice for people who run git themselves.
  const reasons = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  const reason = (reasons.length > 0 ? reasons : lines).slice(0, 3).join(' ').slice(0, 500);
  return refuse('SRC002', `git cannot read ${url}: ${reason || 'no reason given'}`, { hint: gitHint(reason) });
}

function gitHint(reason: string): string {
  if (/ENOENT/.test(reason)) return 'Install git, or import an archive (.tar.gz).';
  if (/redirect/i.test(reason)) return 'The repository has moved. Use its new address.';
  if (
    /could not read Username|terminal prompts disabled|Authentication failed|Permission denied|not found/i.test(reason)
  ) {
    return 'Check the address. A private repository needs credentials that git can find.';
  }
  if (/host key/i.test(reason)) return 'Connect to the host with ssh once to confirm its key.';
  if (/dubious ownership/i.test(reason)) return 'The repository belongs to another user of this machine.';
  return 'Check the address, and try it with git ls-remote.';
}
