import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallServices, openCallChannel } from './fetch-broker.ts';
import { HandlerError, type HandlerFailure, type HandlerPlace, timeoutFailure } from './handler-error.ts';
import { type HandlerProgram, needsOwnHost } from './handler-program.ts';
import { type HostTask, MAX_RESULT_LENGTH, readHostMessage } from './host-message.ts';
import type { HostCommand, LostJob } from './host-process.ts';
import { createProcessPool, type Pool, type PoolOutcome } from './process-pool.ts';
import { insertAnswer, lengthOf, type ResultText } from './result-text.ts';

export interface HandlerJob extends CallServices {
  task: HostTask;
  /** Absent for the evaluation of a file. */
  program?: HandlerProgram | undefined;
  /** Counts from the moment at which the host starts the task. The task waits at most as long for a free host. */
  timeoutMs: number;
  /** Deadline for messages, if other hooks of the call used a part of it. Default: `timeoutMs`. */
  limitMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type HandlerOutcome =
  | ({ type: 'done' } & ResultText)
  | { type: 'failed'; failure: HandlerFailure }
  | { type: 'aborted' }
  | LostJob;

export type HandlerPool = Pool<HandlerJob, HandlerOutcome>;

export interface HostResult {
  value: unknown;
  /** The part of `value` that is the answer of a hook, with the JSON text from which it was parsed. */
  answer?: { data: unknown; json: string };
}

/** Memory of a host outside its heap: Node.js itself and buffers. */
const BUFFERS_MB = 256;

/** The pool of host processes for handlers. The first job starts the first host. */
export function createHandlerPool({ size = 8, memoryMb = 256, idleMs = 60_000 }: PoolSettings = {}): HandlerPool {
  const pool = createProcessPool({
    size,
    perGroup: Math.min(Math.max(2, availableParallelism()), 8),
    targetJobs: 4,
    maxJobs: Number.POSITIVE_INFINITY,
    idleMs,
    graceMs: 500,
    read: readHostMessage,
  });
  return {
    close: pool.close,
    run: async (job) => {
      const { task, program, timeoutMs, signal } = job;
      const key = program === undefined ? '' : programKey(program);
      const outcome = await pool.run({
        // Hosts that evaluate files run no handlers.
        group: program === undefined ? '' : groupOf(program, key),
        command: () => hostCommand({ program, memoryMb }),
        task: { key, task },
        program: program && { key, message: { program } },
        timeoutMs,
        signal,
        open: (reply) => openCallChannel(job, reply),
      });
      return outcomeOf(outcome, job);
    },
  };
}

function outcomeOf(outcome: PoolOutcome<ResultText, HandlerFailure>, job: HandlerJob): HandlerOutcome {
  const { timeoutMs, limitMs = timeoutMs } = job;
  const failed = (failure: HandlerFailure): HandlerOutcome => ({ type: 'failed', failure });
  switch (outcome.type) {
    case 'done': {
      const length = lengthOf(outcome.result);
      if (length <= MAX_RESULT_LENGTH) return { type: 'done', ...outcome.result };
      const message = `The handler's answer has ${length} characters of JSON; at most ${MAX_RESULT_LENGTH} are taken.`;
      return failed({ code: 'HANDLER_RESULT_TOO_LARGE', message });
    }
    case 'timeout':
      return failed(timeoutFailure(limitMs));
    case 'queue-timeout': {
      const message = `No handler host became free within ${timeoutMs} ms`;
      const hint = 'Make fewer calls at a time, or allow more hosts with SCHEMAKIT_HANDLER_HOSTS.';
      return failed({ code: 'HANDLER_TIMEOUT', message, hint });
    }
    case 'unsendable':
      return failed({ code: 'HANDLER_ARGUMENT_INVALID', message: outcome.message });
    default:
      return outcome;
  }
}

/** A program with its own host still gets one for each owner and set of grants. */
function groupOf(program: HandlerProgram, key: string): string {
  return needsOwnHost(program) ? `${program.group} ${key}` : program.group;
}

const keys = new WeakMap<HandlerProgram, string>();

/** Identifies a program inside a host. Files with the same text share no state, and changed lists or libraries are a new program. */
function programKey(program: HandlerProgram): string {
  const cached = keys.get(program);
  if (cached !== undefined) return cached;
  const { id, namespace, file, libraries, sharedLists } = program;
  const key = createHash('sha256')
    .update(JSON.stringify([id, namespace, file, libraries, sharedLists]))
    .digest('hex');
  keys.set(program, key);
  return key;
}

// Hosts always run what was built: from sources, Node would strip the types again in each host (330 ms instead of 100).
const builtFolder = import.meta.url.endsWith('.ts') ? '../../dist/' : './';
const hostFile = fileURLToPath(new URL(`${builtFolder}handler-process.js`, import.meta.url));
// SES as one file: it loads faster, and no other package has to be readable.
const sesFile = join(dirname(createRequire(import.meta.url).resolve('ses/package.json')), 'dist', 'ses.cjs');

// Without this flag, Node.js 22 stores the async context as a property of promises, where handlers could read and write it.
const contextFlags = ['--experimental-async-context-frame'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/**
 * The permission model of Node.js denies files, processes, threads, add-ons, WASI and, from version 25 on, the network. The
 * only exceptions: the host may read its own program, SES and the folders of declared libraries.
 */
function hostCommand({ program, memoryMb }: { program: HandlerProgram | undefined; memoryMb: number }): HostCommand {
  const folders = program && needsOwnHost(program) ? program.libraries.flatMap((library) => library.folders) : [];
  const readable = [hostFile, sesFile];
  for (const folder of folders) readable.push(folder, join(folder, '*'));
  return {
    folder: dirname(sesFile),
    heapMb: memoryMb,
    memoryMb: memoryMb + BUFFERS_MB,
    args: [
      '--permission',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${memoryMb}`,
      // The permission model does not cover `ATTACH` of SQLite.
      '--no-experimental-sqlite',
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      ...contextFlags,
      hostFile,
      sesFile,
      String(memoryMb),
    ],
  };
}

let pool: HandlerPool | undefined;

/** Runs a task in the handler pool of this process. @throws {HandlerError} */
export async function runInSandbox(job: HandlerJob, place: HandlerPlace): Promise<HostResult> {
  pool ??= createHandlerPool(settingsFromEnvironment());
  const outcome = await pool.run(job);
  if (outcome.type !== 'done') throw new HandlerError(failureOf(outcome, place), place);
  const { json, answer } = outcome;
  const value: unknown = json === '' ? undefined : JSON.parse(json);
  if (answer === undefined) return { value };
  const data: unknown = JSON.parse(answer.json);
  // Only a compromised host names a path that does not exist.
  return insertAnswer(value, answer.path, data) ? { value, answer: { data, json: answer.json } } : { value };
}

export async function closeHandlerPool(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.close();
}

function failureOf(
  outcome: Exclude<HandlerOutcome, { type: 'done' }>,
  { schema, tool, hook }: HandlerPlace,
): HandlerFailure {
  const caller = [hook, tool]
    .filter((part) => part !== '')
    .concat(schema || 'a schema')
    .join(' of ');
  if (outcome.type === 'aborted') return { code: 'HANDLER_ABORTED', message: `The call was aborted: ${caller}` };
  if (outcome.type === 'lost') {
    return { code: 'HANDLER_CRASHED', message: `The host process of ${caller} ended: ${outcome.cause}` };
  }
  const { failure } = outcome;
  return failure.code === 'HANDLER_TIMEOUT' ? { ...failure, message: `${failure.message}: ${caller}` } : failure;
}

interface PoolSettings {
  /** Most hosts at a time. Default 8. */
  size?: number | undefined;
  /** Heap limit of a host in MiB. Default 256. */
  memoryMb?: number | undefined;
  /** How long a host may be idle, in milliseconds. Default 60,000. */
  idleMs?: number | undefined;
}

/** Node.js and SES need half of it. */
const MIN_MEMORY_MB = 64;

/** Pool settings from environment variables (docs/handlers.md, "Settings"). Ignores values that are not positive integers. */
export function settingsFromEnvironment(environment: Readonly<NodeJS.ProcessEnv> = process.env): PoolSettings {
  const memoryMb = positiveInteger(environment.SCHEMAKIT_HANDLER_MEMORY_MB);
  return {
    size: positiveInteger(environment.SCHEMAKIT_HANDLER_HOSTS),
    memoryMb: memoryMb && Math.max(memoryMb, MIN_MEMORY_MB),
    idleMs: positiveInteger(environment.SCHEMAKIT_HANDLER_IDLE_MS),
  };
}

/** Milliseconds for all hooks of a call together: `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
export function defaultTimeoutMs(): number {
  return positiveInteger(process.env.SCHEMAKIT_HANDLER_TIMEOUT_MS) ?? 30_000;
}

function positiveInteger(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
