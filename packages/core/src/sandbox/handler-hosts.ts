import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lengthOf, putAnswer, type ResultText } from './answer-apart.ts';
import { type CallServices, openCallLink } from './fetch-broker.ts';
import { HandlerError, type HandlerFailure, type HandlerPlace, lateFailure } from './handler-error.ts';
import { type HandlerProgram, needsOwnHost } from './handler-program.ts';
import type { HostCommand, LostJob } from './host-job.ts';
import { type HostTask, MAX_RESULT_LENGTH, readHostMessage } from './host-message.ts';
import { createProcessPool, type PoolOutcome } from './process-pool.ts';

/** A task with what our process adds to it. */
export interface HandlerJob extends CallServices {
  task: HostTask;
  /** Absent where only a text is evaluated. */
  program?: HandlerProgram | undefined;
  /** From the moment at which the host begins the task; it waits as long for a host at most. */
  timeoutMs: number;
  /** What the deadline was before a part of it was used, for messages. Default: `timeoutMs`. */
  limitMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** How a job ended; `aborted` by its signal. */
export type HandlerOutcome =
  | ({ type: 'done' } & ResultText)
  | { type: 'failed'; failure: HandlerFailure }
  | { type: 'aborted' }
  | LostJob;

export interface HandlerHosts {
  run(job: HandlerJob): Promise<HandlerOutcome>;
  /** Ends all hosts; what runs in them is lost. */
  close(): Promise<void>;
}

/** What a task gave. */
export interface HostResult {
  value: unknown;
  /** The data that a hook answers with, a part of `value`, and the JSON text that it was read from. */
  answer?: ReadAnswer;
}

export interface ReadAnswer {
  data: unknown;
  json: string;
}

/** With so many jobs in each host of a source, another one is started if there may be one. */
const COMFORTABLE_JOBS = 4;
/** How long a host may take to drop a job; one in a loop never does. */
const GRACE_MS = 500;
/** What a host may hold outside of its heap: Node.js itself and the bytes of buffers. */
const BUFFERS_MB = 256;
/** The hosts that evaluate the text of a file, and run no handlers. */
const evaluationGroup = '';

/**
 * Host processes for handlers. Nothing is started before the first job.
 *
 * @param settings.size Default 8.
 * @param settings.memoryMb Default 256.
 * @param settings.idleMs Default 60 s.
 */
export function createHandlerHosts({
  size = 8,
  memoryMb = 256,
  idleMs = 60_000,
}: Partial<PoolSettings> = {}): HandlerHosts {
  const pool = createProcessPool({
    size,
    perGroup: Math.min(Math.max(2, availableParallelism()), 8),
    comfortableJobs: COMFORTABLE_JOBS,
    maxJobs: Number.POSITIVE_INFINITY,
    idleMs,
    graceMs: GRACE_MS,
    read: readHostMessage,
  });
  return {
    close: pool.close,
    run: async (job) => {
      const { task, program, timeoutMs, signal } = job;
      const key = program === undefined ? '' : programKey(program);
      const outcome = await pool.run({
        group: program === undefined ? evaluationGroup : groupOf(program, key),
        command: () => hostCommand({ program, memoryMb }),
        task: { key, task },
        program: program && { key, message: { program } },
        timeoutMs,
        signal,
        open: (reply) => openCallLink(job, reply),
      });
      return outcomeOf(outcome, job);
    },
  };
}

function outcomeOf(outcome: PoolOutcome<ResultText, HandlerFailure>, job: HandlerJob): HandlerOutcome {
  const { timeoutMs, limitMs = timeoutMs } = job;
  switch (outcome.type) {
    case 'done':
      return checkSize(outcome.result);
    case 'late':
      return { type: 'failed', failure: lateFailure(limitMs) };
    case 'no-room':
      return { type: 'failed', failure: noRoom(timeoutMs) };
    case 'unsendable':
      return { type: 'failed', failure: { code: 'HANDLER_ARGUMENT_INVALID', message: outcome.message } };
    default:
      return outcome;
  }
}

function checkSize({ json, answer }: ResultText): HandlerOutcome {
  const result: ResultText = { json, ...(answer && { answer }) };
  const length = lengthOf(result);
  if (length <= MAX_RESULT_LENGTH) return { type: 'done', ...result };
  const message = `The handler's answer has ${length} characters of JSON; at most ${MAX_RESULT_LENGTH} are taken.`;
  return { type: 'failed', failure: { code: 'HANDLER_RESULT_TOO_LARGE', message } };
}

function noRoom(timeoutMs: number): HandlerFailure {
  return {
    code: 'HANDLER_TIMEOUT',
    message: `No handler host became free within ${timeoutMs} ms`,
    hint: 'Make fewer calls at a time, or allow more hosts with SCHEMAKIT_HANDLER_HOSTS.',
  };
}

/** A program with a host of its own has another one for each owner and set of grants too. */
function groupOf(program: HandlerProgram, key: string): string {
  return needsOwnHost(program) ? `${program.group} ${key}` : program.group;
}

const keys = new WeakMap<HandlerProgram, string>();

/**
 * What tells programs apart inside a host. Equal sources are not enough: two files with the same text share no state, and a
 * program whose lists or libraries changed is another one.
 */
function programKey(program: HandlerProgram): string {
  const known = keys.get(program);
  if (known !== undefined) return known;
  const { id, namespace, file, libraries, sharedLists } = program;
  const key = createHash('sha256')
    .update(JSON.stringify([id, namespace, file, libraries, sharedLists]))
    .digest('hex');
  keys.set(program, key);
  return key;
}

// Hosts always run what was built: in each host that ran from sources, Node would strip their types again, which takes longer than all else.
const builtFolder = import.meta.url.endsWith('.ts') ? '../../dist/' : './';
const hostFile = fileURLToPath(new URL(`${builtFolder}handler-host.js`, import.meta.url));
// The package in one file: it loads faster than the modules and needs no other package to be readable.
const sesFile = join(dirname(createRequire(import.meta.url).resolve('ses/package.json')), 'dist', 'ses.cjs');

// Node.js 22 notes the call that a promise belongs to on the promise, where handlers can read and write it; with this flag it
// keeps it out of their reach, as later versions always do.
const contextFlags = ['--experimental-async-context-frame'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/**
 * Everything that the permission model of Node.js knows is denied (files, processes, threads, add-ons, WASI, and from version
 * 25 on the network) except reading the host's own program, SES and the folders of declared libraries.
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
      // `ATTACH` of SQLite opens files past the permission model.
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

let hosts: HandlerHosts | undefined;

/** Runs a task in one of the hosts of this process. @throws {HandlerError} */
export async function runInHost(job: HandlerJob, place: HandlerPlace): Promise<HostResult> {
  hosts ??= createHandlerHosts(settingsFromEnvironment());
  const outcome = await hosts.run(job);
  if (outcome.type !== 'done') throw new HandlerError(failureOf(outcome, place), place);
  const { json, answer } = outcome;
  const value: unknown = json === '' ? undefined : JSON.parse(json);
  if (answer === undefined) return { value };
  const data: unknown = JSON.parse(answer.json);
  // Only a host that was taken over names a place that is not there.
  return putAnswer(value, answer.place, data) ? { value, answer: { data, json: answer.json } } : { value };
}

/** Ends all hosts; the next call starts new ones. */
export async function closeHandlerHosts(): Promise<void> {
  const closing = hosts;
  hosts = undefined;
  await closing?.close();
}

/** The failure of a call. What its host did, and not its own code, says for whom. */
function failureOf(
  outcome: Exclude<HandlerOutcome, { type: 'done' }>,
  { schema, tool, hook }: HandlerPlace,
): HandlerFailure {
  const who = [hook, tool]
    .filter((part) => part !== '')
    .concat(schema || 'a schema')
    .join(' of ');
  if (outcome.type === 'aborted') return { code: 'HANDLER_ABORTED', message: `The call was aborted: ${who}` };
  if (outcome.type === 'lost') {
    return { code: 'HANDLER_CRASHED', message: `The host process of ${who} ended: ${outcome.cause}` };
  }
  const { failure } = outcome;
  return failure.code === 'HANDLER_TIMEOUT' ? { ...failure, message: `${failure.message}: ${who}` } : failure;
}

/** How many hosts there are, how large they get, and how long they stay. */
export interface PoolSettings {
  /** Most hosts at a time. */
  size: number;
  /** Heap of a host in MiB. */
  memoryMb: number;
  /** How long a host stays without work, in milliseconds. */
  idleMs: number;
}

/** Node.js and SES need half of it. */
const LEAST_MEMORY_MB = 64;

/**
 * What the environment says about hosts. A value that is no positive whole number counts as none.
 *
 * - `SCHEMAKIT_HANDLER_HOSTS`: most hosts at a time
 * - `SCHEMAKIT_HANDLER_MEMORY_MB`: heap of a host
 * - `SCHEMAKIT_HANDLER_IDLE_MS`: how long a host stays without work
 */
export function settingsFromEnvironment(environment: Readonly<NodeJS.ProcessEnv> = process.env): Partial<PoolSettings> {
  const size = positiveInteger(environment.SCHEMAKIT_HANDLER_HOSTS);
  const memoryMb = positiveInteger(environment.SCHEMAKIT_HANDLER_MEMORY_MB);
  const idleMs = positiveInteger(environment.SCHEMAKIT_HANDLER_IDLE_MS);
  return {
    ...(size !== undefined && { size }),
    ...(memoryMb !== undefined && { memoryMb: Math.max(memoryMb, LEAST_MEMORY_MB) }),
    ...(idleMs !== undefined && { idleMs }),
  };
}

/** Milliseconds that a hook, and all hooks of a call together, may take: `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
export function defaultTimeoutMs(): number {
  return positiveInteger(process.env.SCHEMAKIT_HANDLER_TIMEOUT_MS) ?? 30_000;
}

function positiveInteger(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
