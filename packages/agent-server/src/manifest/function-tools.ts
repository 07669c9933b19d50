import { fitText } from '@schemakit/core/internal';
import { type AgentTool, failed, type ToolAnswer } from '../run/agent-tool.ts';
import { createValueCheck } from '../run/check-value.ts';
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

/** Shortens data or text, and keeps the whole for `read_answer`. */
export function fitAnswer(data: unknown, maxLength: number): ToolAnswer {
  const whole = typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');
  const { text, cuts } = fitText(data, whole, maxLength);
  if (cuts.length === 0) return { text, isError: false };
  const parts = cuts.slice(0, maxNamed).map((cut) => {
    if (cut.kind === 'value') return `${cut.path} was left out (${cut.length} characters)`;
    return `${cut.path} has the first ${cut.returned} of ${cut.total} ${cut.kind}`;
  });
  return {
    text: `${text}\nThis answer is incomplete, because it is too long: ${parts.join('; ')}.`,
    isError: false,
    whole,
  };
}

const maxNamed = 20;
