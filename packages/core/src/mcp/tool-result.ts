import { randomUUID } from 'node:crypto';
import type { Finding } from '../schema/finding.ts';
import { type Cut, fitText } from './fit-data.ts';
import type { ShapedAnswer } from './output-shape.ts';

/** A part of an MCP tool result (MCP specification, ContentBlock). */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string; description?: string };

/** An MCP tool result (MCP specification, tools/call). */
export interface ToolResult {
  content: ToolContent[];
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
  /** Where `data` is a body in base64: its media type. */
  binary?: string;
  /** What the API says the answer is. */
  mimeType?: string;
}

/**
 * The text stands in an answer twice, as structured content as well, and clients of the MCP SDK end the whole session over a
 * message of more than 10 MiB.
 */
export const maxTextLength: number = 4 * 1024 * 1024;

/** Says that an answer is too long, in UTF-16 units. */
export function tooLarge(length: number): string {
  const megabytes = (length / 1024 / 1024).toFixed(1);
  return `The answer has ${megabytes} MiB of text, and ${maxTextLength / 1024 / 1024} MiB are the most that clients take. Ask for less, for example with a limit or a filter.`;
}

/** What went wrong and what to do, for a model to read. */
export function failureText(findings: readonly Finding[]): string {
  const lines = findings.map(({ message, hint }) => (hint === undefined ? message : `${message}\n${hint}`));
  return lines.join('\n') || 'The call failed.';
}

/** Puts the outcome of a call in the shape that MCP clients read. A failed call is a result with `isError`, so that the model sees why. */
export function toolResult(
  outcome: ToolOutcome,
  shape: ((data: unknown) => ShapedAnswer) | undefined,
  { maxLength = maxTextLength, structured = 'both', keep }: AnswerOptions = {},
): ToolResult {
  if (!outcome.status) return errorResult(failureText(outcome.findings));
  if (outcome.binary !== undefined) {
    const { content, isError = false } = binaryContent(String(outcome.data), outcome.binary, { maxLength, keep });
    return { content, ...(isError && { isError }), ...(shape && { structuredContent: {} }) };
  }
  const whole = typeof outcome.data === 'string' ? outcome.data : (outcome.dataAsString ?? 'null');
  if (whole.length > maxTextLength && maxLength >= maxTextLength) return errorResult(tooLarge(whole.length));
  const { data, text, cuts } = fitText(outcome.data, whole, maxLength);
  const shaped = shape?.(data);
  // What does not have the promised shape, such as a part that was selected, is in the text alone.
  const isText = structured === 'both' || shaped === undefined || shaped.omitted.length > 0;
  const shown = isText ? text : 'The answer is in structuredContent.';
  const result: ToolResult = withRowCuts({ content: [{ type: 'text', text: shown }] }, outcome.findings);
  if (cuts.length > 0) {
    const mimeType = typeof outcome.data === 'string' ? textType(outcome.mimeType) : 'application/json';
    addCuts(result, cuts, { uri: keep?.({ mimeType, text: whole }), mimeType });
  }
  if (shaped === undefined) return result;
  const { value, omitted } = shaped;
  result.structuredContent = value;
  if (omitted.length > 0)
    result._meta = {
      ...result._meta,
      'schemakit/omitted': omitted.slice(0, maxNamed),
      'schemakit/omittedCount': omitted.length,
    };
  return result;
}

/** The media type of a text: that of the answer, unless a handler has made the text of something else. */
function textType(mimeType = ''): string {
  return /^text\/|[/+]xml$/.test(mimeType) ? mimeType : 'text/plain';
}

/** How many places are named; beyond it their number tells enough. */
const maxNamed = 20;

function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Says what was left out to make an answer fit, to models in a text of its own and to programs in `_meta`. */
function addCuts(
  result: ToolResult,
  cuts: readonly Cut[],
  { uri, mimeType }: { uri: string | undefined; mimeType: string },
): void {
  const named = cuts.slice(0, maxNamed).map(cutText);
  const more = cuts.length > maxNamed ? [`and ${cuts.length - maxNamed} more places`] : [];
  const advice =
    uri === undefined ? 'Ask for less, for example with a limit or a filter.' : `All of it is the resource ${uri}.`;
  const text = `Not everything is here, because the answer is too long: ${[...named, ...more].join('; ')}. ${advice}`;
  result.content.push({ type: 'text', text });
  if (uri !== undefined) {
    result.content.push({ type: 'resource_link', uri, name: 'whole answer', mimeType });
  }
  result._meta = {
    ...result._meta,
    'schemakit/cuts': cuts.slice(0, maxNamed),
    'schemakit/cutCount': cuts.length,
  };
}

function cutText(cut: Cut): string {
  if (cut.kind === 'value') return `${cut.path} was left out (${cut.length} characters)`;
  const verb = cut.omitted === 1 ? 'was' : 'were';
  return `${cut.path} has the first ${cut.returned} of ${cut.total} ${cut.kind}, ${cut.omitted} ${verb} left out`;
}

/** Says what a limit on rows left out: in `_meta` for programs, and in a text of its own for models, which see nothing else. */
function withRowCuts(result: ToolResult, findings: readonly Finding[]): ToolResult {
  const cuts = findings.filter(({ code }) => code === 'ROWS_CUT');
  if (cuts.length === 0) return result;
  const texts = cuts.map(({ message, hint }) => (hint === undefined ? `${message}.` : `${message}. ${hint}`));
  return {
    ...result,
    content: [...result.content, { type: 'text', text: `Not everything is here. ${texts.join(' ')}` }],
    _meta: { 'schemakit/warnings': cuts.map(({ message }) => message) },
  };
}

/** What models can look at (the formats that they all take). */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * A body that is no text, as content: images and sounds as such, others as a resource. What is too long is kept and linked,
 * where there is a place to keep it.
 *
 * @param base64 The body.
 */
function binaryContent(
  base64: string,
  mimeType: string,
  { maxLength, keep }: { maxLength: number } & Pick<AnswerOptions, 'keep'>,
): Pick<ToolResult, 'content' | 'isError'> {
  const size = `${Buffer.byteLength(base64, 'base64')} bytes of ${mimeType}`;
  if (base64.length > maxLength) {
    const uri = keep?.({ mimeType, blob: base64 });
    if (uri === undefined) return { content: [{ type: 'text', text: binaryTooLarge(size, maxLength) }], isError: true };
    const link: ToolContent = { type: 'resource_link', uri, name: 'answer', mimeType, description: size };
    return { content: [{ type: 'text', text: `The answer is the resource ${uri}: ${size}.` }, link] };
  }
  if (images.has(mimeType)) return { content: [{ type: 'image', data: base64, mimeType }] };
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data: base64, mimeType }] };
  const uri = `schemakit://answers/${randomUUID()}`;
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: base64 } }] };
}

function binaryTooLarge(size: string, maxLength: number): string {
  const most = Math.floor((maxLength * 3) / 4);
  return `The answer is too large: ${size}, and ${most} are the most. Ask for a smaller one, for example for a part or a lower resolution, if the tool has parameters for it.`;
}

/** The whole of an answer of which a client gets a part. */
export type WholeAnswer = { mimeType: string; text: string } | { mimeType: string; blob: string };

/** How the answer of a tool is put for a client. */
export interface AnswerOptions {
  /** The part of the data that is wanted: a JMESPath expression. */
  select?: string | undefined;
  /**
   * How long its text may be, in UTF-16 units. Data beyond it loses items of its lists, texts lose lines; the answer says what
   * it lacks. Default 4 MiB, beyond which an answer is an error: clients of the MCP SDK end the session over it.
   */
  maxLength?: number | undefined;
  /** Whether a tool with an output schema answers data as text too: `both`, or `only` structured with a note as text. */
  structured?: 'both' | 'only' | undefined;
  /** Keeps what does not fit, and returns the address at which it can be read; undefined where it cannot be kept. */
  keep?: ((answer: WholeAnswer) => string | undefined) | undefined;
}
