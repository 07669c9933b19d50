import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '@schemakit/core/internal';
import { type AgentTool, failed } from '../run/agent-tool.ts';
import { createValueCheck } from '../run/check-value.ts';
import { fitAnswer } from '../run/fit-answer.ts';
import type { FunctionTool } from './config.ts';
import { depthKey } from './mcp-tools.ts';
import { effectOf } from './schema-tools.ts';

/** A function of the program as a tool. Its arguments are checked before it is called. */
export function fromFunction({ execute, annotations, ...tool }: FunctionTool, name: string): AgentTool {
  const check = createValueCheck(tool.inputSchema);
  return {
    ...tool,
    name,
    effect: effectOf(annotations),
    async call(args, { signal, maxLength, depth }) {
      const problems = check(args);
      if (problems.length > 0) return failed(`The arguments are invalid:\n${problems.join('\n')}`);
      try {
        const data = await execute(args, { signal, meta: { [depthKey]: depth } });
        // Shortening a large answer takes a while: a run that is cancelled ends before.
        await nextTurn();
        signal.throwIfAborted();
        return fitAnswer(data, maxLength);
      } catch (error) {
        return failed(messageOf(error));
      }
    },
  };
}
