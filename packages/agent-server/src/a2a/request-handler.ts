import { EventEmitter, on } from 'node:events';
import type { AgentCard, ListTasksRequest, Message, SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { ClientContext, TaskChange, TaskOwner, TaskState } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import { BusyError } from '../tasks/client-store.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { a2aTask, artifactsOf, progressStatus, questionOf, stateOf, taskStatus } from './a2a-task.ts';
import { messageInput } from './message-input.ts';

export interface RequestHandlerOptions {
  card: AgentCard;
  agents: ReadonlyMap<string, OpenAgent>;
  engine: TaskEngine;
  owner: TaskOwner;
  client: ClientContext;
  /** Ends streams and waiting: the client has left, or the server closes. */
  signal: AbortSignal;
  /** Receives what refuses an operation for a while. The SDK makes an internal error of it, without the time. */
  onBusy: (error: BusyError) => void;
}

/** How long a task is kept, in milliseconds: as long as tasks over MCP at most, because A2A clients cannot ask for a time. */
const ttlMs = 24 * 60 * 60_000;

/** The operations of A2A for one caller, over the journal of runs. Tasks of other callers are as unknown ones. */
export function requestHandler({
  card,
  agents,
  engine,
  owner,
  client,
  signal,
  onBusy,
}: RequestHandlerOptions): A2ARequestHandler {
  const notingBusy =
    <Request, Result>(operation: (request: Request) => Promise<Result>) =>
    async (request: Request): Promise<Result> => {
      try {
        return await operation(request);
      } catch (error) {
        if (error instanceof BusyError) onBusy(error);
        throw error;
      }
    };
  const find = async (id: string) => {
    if (id.trim() === '') throw new RequestMalformedError('The id of the task is missing.');
    // The state last: what it says is in no later event.
    const events = await engine.events(id, owner);
    const state = await engine.get(id, owner);
    const started = events?.[0];
    // Agents with a price are not served here, nor are their answers.
    if (events === undefined || state === undefined || started?.type !== 'run.started' || !agents.has(started.tool))
      throw new TaskNotFoundError(`Task not found: ${id}`);
    return { state, next: events.length, contextId: started.contextId ?? id };
  };
  const taskOf = async (id: string) => {
    const { state, contextId } = await find(id);
    return a2aTask(state, contextId);
  };

  const start = async ({ contextId, parts, metadata }: Message, more: SendMessageRequest['metadata']) => {
    const meta = { ...more, ...metadata };
    const agent = skillOf(agents, meta.skill);
    const { name, inputSchema } = agent.config;
    const { taskId } = await engine.start({ listing: { name } }, messageInput(parts, inputSchema), {
      owner,
      client: { ...client, meta, capabilities: { elicitation: { form: {} } } },
      ttlMs,
      ...(contextId !== '' && { contextId }),
    });
    return taskId;
  };
  const answer = async ({ taskId, contextId, parts }: Message) => {
    const found = await find(taskId);
    if (contextId !== '' && contextId !== found.contextId)
      throw new RequestMalformedError(`Task ${taskId} is in the context ${found.contextId}, not in ${contextId}.`);
    const question = questionOf(found.state);
    if (question === undefined)
      throw new UnsupportedOperationError(`Task ${taskId} does not wait for an answer: it is ${found.state.status}.`);
    const content = messageInput(parts, question.requestedSchema);
    await engine.answer(taskId, owner, { [question.key]: { action: 'accept', content } });
    return taskId;
  };
  const deliver = async ({ message, metadata, configuration }: SendMessageRequest) => {
    if (!message?.messageId) throw new RequestMalformedError('message.messageId is required.');
    if (configuration?.taskPushNotificationConfig !== undefined) throw new PushNotificationNotSupportedError();
    return message.taskId === '' ? start(message, metadata) : answer(message);
  };

  /** The task, and its changes until it has ended or asks its user. */
  async function* follow(id: string): AsyncGenerator<StreamResponse, void, undefined> {
    const { state, next, contextId } = await find(id);
    yield { payload: { $case: 'task', value: a2aTask(state, contextId) } };
    if (hasEnded(state)) return;
    const changes = new EventEmitter();
    const coming = on(changes, 'change', { signal });
    const stop = engine.watch(id, owner, (change) => changes.emit('change', change), next);
    const of = { taskId: id, contextId };
    try {
      for await (const [change] of coming as AsyncIterable<[TaskChange]>) {
        if (change.type === 'gone') return;
        if (change.type === 'message') {
          const status = progressStatus(change.message, of);
          yield { payload: { $case: 'statusUpdate', value: { ...of, status, metadata: undefined } } };
        } else if (change.state.status !== state.status && change.state.status !== 'working') {
          yield* lastUpdates(change.state, of);
          return;
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      stop();
    }
  }

  return {
    getAgentCard: async () => card,
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('There is no extended agent card.');
    },
    sendMessage: notingBusy(async (request) => {
      const id = await deliver(request);
      if (request.configuration?.returnImmediately !== true) await engine.wait(id, owner, signal);
      return taskOf(id);
    }),
    async *sendMessageStream(request) {
      yield* follow(await deliver(request));
    },
    async *resubscribe({ id }) {
      const { state } = await find(id);
      if (hasEnded(state)) throw new UnsupportedOperationError(`Task ${id} has ended: it is ${state.status}.`);
      yield* follow(id);
    },
    getTask: notingBusy(({ id }) => taskOf(id)),
    listTasks: notingBusy(async ({ pageSize = 50, pageToken, includeArtifacts, ...filter }) => {
      const from = Number(pageToken);
      if (!Number.isSafeInteger(from) || from < 0) throw new RequestMalformedError('The page token is invalid.');
      if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
        throw new RequestMalformedError('pageSize must be from 1 to 100.');
      const states = await allTasks(engine, owner);
      const found = await Promise.all(
        states.filter(isWanted(filter)).map(({ taskId }) => taskOf(taskId).catch(() => [])),
      );
      const { contextId } = filter;
      const tasks = found.flat().filter((task) => contextId === '' || task.contextId === contextId);
      const page = tasks.slice(from, from + pageSize);
      return {
        tasks: includeArtifacts ? page : page.map((task) => ({ ...task, artifacts: [] })),
        totalSize: tasks.length,
        pageSize,
        nextPageToken: from + pageSize < tasks.length ? String(from + pageSize) : '',
      };
    }),
    cancelTask: notingBusy(async ({ id }) => {
      const { state } = await find(id);
      const cancelled = hasEnded(state) ? state : await engine.cancel(id, owner);
      if (cancelled?.status !== 'cancelled') throw new TaskNotCancelableError(`Task ${id} has ended.`);
      return taskOf(id);
    }),
    createTaskPushNotificationConfig: noPushNotifications,
    getTaskPushNotificationConfig: noPushNotifications,
    listTaskPushNotificationConfigs: noPushNotifications,
    deleteTaskPushNotificationConfig: noPushNotifications,
  };
}

const noPushNotifications = async (): Promise<never> => {
  throw new PushNotificationNotSupportedError();
};

/** The agent that a message is for: the one that it names in `metadata.skill`, or the only one. */
function skillOf(agents: ReadonlyMap<string, OpenAgent>, skill: unknown): OpenAgent {
  const [only, other] = agents.values();
  if (skill === undefined && only !== undefined && other === undefined) return only;
  const agent = typeof skill === 'string' ? agents.get(skill) : undefined;
  if (agent !== undefined) return agent;
  const known = `Name one of the skills in metadata.skill: ${[...agents.keys()].join(', ')}.`;
  throw new RequestMalformedError(skill === undefined ? known : `There is no such skill. ${known}`);
}

function hasEnded({ status }: TaskState): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** What follows when a task has ended or asks its user: the answer, and how it stands. */
function* lastUpdates(state: TaskState, of: { taskId: string; contextId: string }): Generator<StreamResponse> {
  const more = { append: false, lastChunk: true, metadata: undefined };
  for (const artifact of artifactsOf(state))
    yield { payload: { $case: 'artifactUpdate', value: { ...of, artifact, ...more } } };
  const status = taskStatus(state, of.contextId);
  yield { payload: { $case: 'statusUpdate', value: { ...of, status, metadata: undefined } } };
}

/** The tasks of an owner, the last updated first. */
async function allTasks(engine: TaskEngine, owner: TaskOwner): Promise<TaskState[]> {
  const tasks: TaskState[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list(owner, cursor);
    tasks.push(...page.tasks);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tasks.sort((one, other) => other.lastUpdatedAt.localeCompare(one.lastUpdatedAt));
}

function isWanted({ status, statusTimestampAfter = '' }: Pick<ListTasksRequest, 'status' | 'statusTimestampAfter'>) {
  const after = statusTimestampAfter === '' ? 0 : Date.parse(statusTimestampAfter);
  if (Number.isNaN(after)) throw new RequestMalformedError('statusTimestampAfter must be a time in ISO 8601.');
  return (state: TaskState) => (status === 0 || stateOf(state) === status) && Date.parse(state.lastUpdatedAt) >= after;
}
