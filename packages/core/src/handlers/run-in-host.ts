import { createHash } from 'node:crypto';
import { putAnswer } from './answer-apart.ts';
import { HandlerError, type HandlerFailure, type HandlerPlace } from './handler-error.ts';
import type { HandlerProgram } from './handler-program.ts';
import { createHostPool, type HostPool, type PoolJob, type PoolOutcome } from './host-pool.ts';
import { settingsFromEnvironment } from './pool-settings.ts';

let pool: HostPool | undefined;
const keys = new WeakMap<HandlerProgram, string>();

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

/** Runs a task in a host of the one pool that this process has. @throws {HandlerError} */
export async function runInHost(job: Omit<PoolJob, 'key'>, place: HandlerPlace): Promise<HostResult> {
  pool ??= createHostPool(settingsFromEnvironment());
  const outcome = await pool.run({ ...job, key: job.program === undefined ? '' : programKey(job.program) });
  if (outcome.type !== 'done') throw new HandlerError(failureOf(outcome, place), place);
  const { json, answer } = outcome;
  const value: unknown = json === '' ? undefined : JSON.parse(json);
  if (answer === undefined) return { value };
  const data: unknown = JSON.parse(answer.json);
  // A host that says a place which is not there is none of ours any more.
  return putAnswer(value, answer.place, data) ? { value, answer: { data, json: answer.json } } : { value };
}

/** Ends all hosts; the next call starts new ones. */
export async function closeHandlerHosts(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.close();
}

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

/** The failure of a call. What its host did, and not its own code, says for whom. */
function failureOf(
  outcome: Exclude<PoolOutcome, { type: 'done' }>,
  { schema, tool, hook }: HandlerPlace,
): HandlerFailure {
  const who = [hook, tool]
    .filter((part) => part !== '')
    .concat(schema || 'a schema')
    .join(' of ');
  if (outcome.type === 'aborted') return { code: 'HANDLER_ABORTED', message: `The call was aborted: ${who}` };
  if (outcome.type === 'lost') {
    return {
      code: 'HANDLER_CRASHED',
      message: `The host process of ${who} ended: ${outcome.cause}`,
    };
  }
  const { failure } = outcome;
  return failure.code === 'HANDLER_TIMEOUT' ? { ...failure, message: `${failure.message}: ${who}` } : failure;
}
