import { type AgentTool, failed } from '../run/agent-tool.ts';
import { createValueCheck } from '../run/check-value.ts';
import { fitAnswer } from '../run/fit-answer.ts';
import type { FunctionTool } from './config.ts';
import { effectOf } from './schema-tools.ts';

/** A function of the program as a tool. Its arguments are checked before it is called. */
export function fromFunction({ execute, annotations, ...tool }: FunctionTool, name: string): AgentTool {
  const check = createValueCheck(tool.inputSchema);
  return {
    ...tool,
    name,
    effect: effectOf(annotations),
    async call(args, { signal, maxLength }) {
      const problems = check(args);
      if (problems.length > 0) return failed(`The arguments do not fit:\n${problems.join('\n')}`);
      try {
        return fitAnswer(await execute(args, { signal }), maxLength);
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
