import type { ServedCallOptions } from '../catalog/offer.ts';
import type { CallTool } from '../mcp/call-tool.ts';
import type { KeptAnswers } from './kept-answers.ts';

/** How the answers of tools are put for models. */
export interface AnswerSettings {
  /** How long the text of an answer may be, in UTF-16 units. Longer ones are reduced, with a report of what they lack. Default 100,000. */
  maxAnswerLength?: number;
  /** Whether tools with an output schema answer as text too (`both`, the default), or structured with a short note (`only`). */
  structured?: 'both' | 'only';
  /** Parts of the answers of tools that are always wanted: a JMESPath expression for each MCP name. */
  select?: Readonly<Record<string, string>>;
}

/** What fits in the window of most models, with room for the talk. */
const defaultLength = 100_000;

/**
 * The innermost call of a server: answers fit, and what does not fit is kept.
 *
 * @param run What every call is made with beside.
 */
export function answeringCalls(
  { maxAnswerLength = defaultLength, structured, select = {} }: AnswerSettings,
  { keep }: Pick<KeptAnswers, 'keep'>,
  run: Pick<ServedCallOptions, 'timeoutMs' | 'cache' | 'upstream'>,
): CallTool {
  return (tool, args, { signal, onProgress, select: wanted }) => {
    const expression = wanted ?? (Object.hasOwn(select, tool.listing.name) ? select[tool.listing.name] : undefined);
    const shape = { maxLength: maxAnswerLength, structured, keep, select: expression };
    return tool.call(args, { ...run, ...shape, signal, onProgress });
  };
}
