import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { type Outcome, refuse } from './source-codes.ts';

interface GitOptions {
  /** Of the repository, for messages. */
  url: string;
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

/** Nobody is asked, and nothing is fetched later. */
const variables = {
  GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GCM_INTERACTIVE: 'never',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
};

/**
 * Runs git without a shell, and without anyone to ask: what would prompt fails. The user's own settings hold, among them the
 * helpers that keep passwords. Rejects only with the reason of the signal.
 *
 * @param args - An address stands behind `--`.
 * @returns what git wrote to its output.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Outcome<Buffer>> {
  const { url, folder, signal, input = '', maxBytes = 64 * 2 ** 20, timeoutMs = 600_000 } = options;
  signal.throwIfAborted();
  const kept = Object.entries(process.env).filter(([name]) => !repositoryVariables.test(name));
  const child = spawn('git', [...settings, ...args], {
    ...(folder !== undefined && { cwd: folder }),
    env: { ...Object.fromEntries(kept), ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: no terminal to prompt at, and its children end with it.
    detached: true,
    windowsHide: true,
  });
  let problem: string | undefined;
  const end = () => killGroup(child.pid);
  const stop = (reason: string) => {
    problem ??= reason;
    end();
  };
  const timer = setTimeout(() => stop(`git was not done after ${timeoutMs / 1000} seconds`), timeoutMs);
  process.once('exit', end);
  signal.addEventListener('abort', end);
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
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', ({ message }) => {
      problem = message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  process.off('exit', end);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (status === 0 && problem === undefined) return { ok: true, value: Buffer.concat(output) };
  return gitFailure(url, problem ?? stderr);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** What git said, as something that a user can act on. */
function gitFailure(url: string, stderr: string): Outcome<never> {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  // Advice stands below the reasons, and is for those who ran git themselves.
  const reasons = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  const said = (reasons.length > 0 ? reasons : lines).slice(0, 3).join(' ').slice(0, 500);
  return refuse('SRC002', `git cannot read ${url}: ${said || 'it gave no reason'}`, { hint: gitHint(said) });
}

function gitHint(said: string): string {
  if (/ENOENT/.test(said)) return 'Install git, or import an archive (.tar.gz).';
  if (/redirect/i.test(said)) return 'The repository has moved: name its new address.';
  if (
    /could not read Username|terminal prompts disabled|Authentication failed|Permission denied|not found/i.test(said)
  ) {
    return 'Check the address. A private repository needs a login that git finds by itself.';
  }
  if (/host key/i.test(said)) return 'Connect to the host with ssh once, to confirm its key.';
  if (/dubious ownership/i.test(said)) return 'The repository belongs to another user of this machine.';
  return 'Check the address, and whether git itself can read it.';
}
