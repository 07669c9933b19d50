import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { devNull } from 'node:os';

export interface GitRun {
  ok: boolean;
  stdout: Buffer;
  /** What git said, without colours; short. */
  stderr: string;
}

export interface GitOptions {
  /** Folder of the repository. */
  folder?: string;
  signal: AbortSignal;
  /** What git reads from its input. */
  input?: string;
  /** Largest output, in bytes. Default 64 MiB. */
  maxBytes?: number;
  /** Default ten minutes. */
  timeoutMs?: number;
}

/** Settings for one run: nothing that a repository or a template brings is run, and nobody is sent elsewhere. */
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

/** Variables that would lead git to another repository (git rev-parse --local-env-vars). */
const repositoryVariables =
  /^GIT_(ALTERNATE_OBJECT_DIRECTORIES|CONFIG|OBJECT_DIRECTORY|DIR|WORK_TREE|IMPLICIT_WORK_TREE|GRAFT_FILE|INDEX_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|PREFIX|SHALLOW_FILE|COMMON_DIR|NAMESPACE|TRACE.*)$/;

/**
 * Runs git without a shell, and without anyone to ask: what would prompt fails. The user's own settings hold, among them the
 * helpers that keep passwords. Rejects only with the reason of the signal.
 *
 * @param args - An address stands behind `--`.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitRun> {
  options.signal.throwIfAborted();
  const run = await spawnGit(args, options);
  options.signal.throwIfAborted();
  return run;
}

async function spawnGit(args: readonly string[], options: GitOptions): Promise<GitRun> {
  const { folder, signal, input = '', maxBytes = 64 * 2 ** 20, timeoutMs = 600_000 } = options;
  const child = spawn('git', [...settings, ...args], {
    ...(folder !== undefined && { cwd: folder }),
    env: environment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: no terminal to prompt at, and its children end with it.
    detached: true,
    windowsHide: true,
  });
  const end = () => killGroup(child.pid);
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped ??= reason;
    end();
  };
  const timer = setTimeout(() => stop(`git was not done after ${timeoutMs / 1000} seconds`), timeoutMs);
  process.once('exit', end);
  signal.addEventListener('abort', end);
  try {
    return await outcomeOf(child, { input, maxBytes, stop, stopped: () => stopped });
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
    signal.removeEventListener('abort', end);
  }
}

/** Resolves once the process and all that it wrote are done. */
function outcomeOf(
  child: ChildProcessWithoutNullStreams,
  {
    input,
    maxBytes,
    stop,
    stopped,
  }: { input: string; maxBytes: number; stop(reason: string): void; stopped(): string | undefined },
): Promise<GitRun> {
  const output: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) stop('git said more than expected');
    else output.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < 4000) stderr += text;
  });
  child.stdin.on('error', () => {}); // It may end before it has read all; its status says whether that is bad.
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, stdout: Buffer.alloc(0), stderr: error.message }));
    child.once('close', (code) => {
      const reason = stopped();
      resolve({ ok: code === 0 && reason === undefined, stdout: Buffer.concat(output), stderr: reason ?? stderr });
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !repositoryVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
