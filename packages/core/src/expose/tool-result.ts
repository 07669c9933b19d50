import type { Finding } from '../format/finding.ts';
import type { JsonObject } from '../format/json.ts';
import { shapeAnswer } from './output-shape.ts';

/** An MCP tool result (MCP specification, tools/call). */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** What came of a call, of a tool or of a resource. */
export interface ToolOutcome {
  status: boolean;
  findings: readonly Finding[];
  data: unknown;
  readonly dataAsString: string | null;
}

/**
 * The text stands in an answer twice, as structured content as well, and clients of the MCP SDK end the whole session over a
 * message of more than 10 MiB.
 */
const maxTextLength = 4 * 1024 * 1024;

function tooLarge(length: number): string {
  const megabytes = (length / 1024 / 1024).toFixed(1);
  return `The answer has ${megabytes} MiB of text, and ${maxTextLength / 1024 / 1024} MiB are the most that clients take. Ask for less, for example with a limit or a filter.`;
}

/** Puts the outcome of a call in the shape that MCP clients read. A failed call is a result with `isError`, so that the model sees why. */
export function toolResult(outcome: ToolOutcome, outputSchema: JsonObject | undefined): ToolResult {
  if (!outcome.status) {
    const lines = outcome.findings.map(({ message, hint }) => (hint === undefined ? message : `${message}\n${hint}`));
    return { content: [{ type: 'text', text: lines.join('\n') || 'The call failed.' }], isError: true };
  }
  const text = typeof outcome.data === 'string' ? outcome.data : (outcome.dataAsString ?? 'null');
  if (text.length > maxTextLength) return { content: [{ type: 'text', text: tooLarge(text.length) }], isError: true };
  const result: ToolResult = { content: [{ type: 'text', text }] };
  if (outputSchema === undefined) return result;
  const { value, omitted } = shapeAnswer(outcome.data, outputSchema);
  result.structuredContent = value;
  if (omitted.length > 0)
    result._meta = { 'schemakit/omitted': omitted.slice(0, 20), 'schemakit/omittedCount': omitted.length };
  return result;
}
