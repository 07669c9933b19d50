import type { RunEvent } from '@schemakit/agent-server';
import { firstLine } from '../../output/text-table.ts';

export interface ToolCall {
  /** The id in the manifest, or the name of a tool that every agent has. */
  tool: string;
  /** Whether it is a tool of the manifest. */
  isOwn: boolean;
  args: string;
  answer: string;
  hasFailed: boolean;
}

/** Collects the tool calls of a run from its events. */
export function createCallLog(toolIds: Readonly<Record<string, string>>): {
  calls: readonly ToolCall[];
  onEvent(event: RunEvent): void;
} {
  const calls: ToolCall[] = [];
  // A provider may use the same id again in a later round.
  const byId = new Map<string, ToolCall>();
  return {
    calls,
    onEvent(event) {
      if (event.type === 'tool.called') {
        const { [event.tool]: id } = toolIds;
        const args = JSON.stringify(event.args);
        const call = { tool: id ?? event.tool, isOwn: id !== undefined, args, answer: '', hasFailed: false };
        calls.push(call);
        byId.set(event.callId, call);
      }
      if (event.type !== 'tool.answered') return;
      const called = byId.get(event.callId);
      if (called) Object.assign(called, { answer: event.text, hasFailed: event.isError });
    },
  };
}

/** A model may answer without any data, and the answer look as if it had some. */
export function dataWarnings(calls: readonly ToolCall[]): string[] {
  const own = calls.filter(({ isOwn }) => isOwn);
  const [first] = own;
  if (first === undefined || !own.every(({ hasFailed }) => hasFailed)) return [];
  return [`every tool call failed, so the answer has no data: ${first.tool}: ${failureReason(first.answer)}`];
}

/** Why a call failed, from what the model is told. */
export function failureReason(text: string): string {
  return firstLine(text.replace(/^Data from .*\n/, ''), 200);
}
