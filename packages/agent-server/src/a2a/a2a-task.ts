import { randomUUID } from 'node:crypto';
import { type Artifact, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { CallResult, TaskStatus as StoredStatus, TaskState as StoredTask } from '@schemakit/server';
import type { JsonObject } from '../model/model.ts';

/** The question of a task that waits for its user. */
export interface OpenQuestion {
  key: string;
  message: string;
  requestedSchema: JsonObject;
}

export function questionOf({ inputRequests = {} }: StoredTask): OpenQuestion | undefined {
  const [entry] = Object.entries(inputRequests);
  if (entry === undefined) return undefined;
  const [key, { params }] = entry as [string, { params: Omit<OpenQuestion, 'key'> }];
  return { key, ...params };
}

/** A task in the terms of A2A. */
export function a2aTask(state: StoredTask, contextId: string): Task {
  const report = state.result?._meta?.['schemakit/run'];
  return {
    id: state.taskId,
    contextId,
    status: taskStatus(state, contextId),
    artifacts: artifactsOf(state),
    history: [],
    metadata: report === undefined ? undefined : { 'schemakit/run': report },
  };
}

/** Its status. What the agent has to say about it is a message: how far it is, what it asks, why it failed. */
export function taskStatus(state: StoredTask, contextId: string): TaskStatus {
  const parts = whatItSays(state);
  return {
    state: stateOf(state),
    timestamp: state.lastUpdatedAt,
    message: parts.length === 0 ? undefined : agentMessage(parts, { taskId: state.taskId, contextId }),
  };
}

/** The status of a task that works, with a sentence about it. */
export function progressStatus(text: string, of: { taskId: string; contextId: string }): TaskStatus {
  return {
    state: TaskState.TASK_STATE_WORKING,
    timestamp: new Date().toISOString(),
    message: agentMessage([textPart(text)], of),
  };
}

/** The answer, if the task has completed. */
export function artifactsOf(state: StoredTask): Artifact[] {
  if (stateOf(state) !== TaskState.TASK_STATE_COMPLETED) return [];
  const { structuredContent } = state.result ?? {};
  const data =
    structuredContent === undefined ? [] : [part({ $case: 'data', value: structuredContent }, 'application/json')];
  const parts = [...data, textPart(textOf(state.result), 'text/markdown')];
  return [{ artifactId: 'answer', name: 'answer', description: '', parts, metadata: undefined, extensions: [] }];
}

const states: Readonly<Record<StoredStatus, TaskState>> = {
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

export function stateOf({ status, result }: StoredTask): TaskState {
  return status === 'completed' && result?.isError ? TaskState.TASK_STATE_FAILED : states[status];
}

function whatItSays(state: StoredTask): Part[] {
  const question = questionOf(state);
  if (question !== undefined) {
    const { message, requestedSchema } = question;
    return [textPart(message), part({ $case: 'data', value: { requestedSchema } }, 'application/json')];
  }
  if (state.status === 'completed') return state.result?.isError ? [textPart(textOf(state.result))] : [];
  return state.statusMessage === undefined ? [] : [textPart(state.statusMessage)];
}

function textOf(result: CallResult | undefined): string {
  return (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function textPart(value: string, mediaType: string = 'text/plain'): Part {
  return part({ $case: 'text', value }, mediaType);
}

function part(content: NonNullable<Part['content']>, mediaType: string): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}

function agentMessage(parts: Part[], { taskId, contextId }: { taskId: string; contextId: string }) {
  const ids = { messageId: randomUUID(), taskId, contextId };
  return { ...ids, role: Role.ROLE_AGENT, parts, metadata: undefined, extensions: [], referenceTaskIds: [] };
}
