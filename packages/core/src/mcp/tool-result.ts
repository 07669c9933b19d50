import { randomUUID } from 'node:crypto';
import { childPath, type Finding } from '../schema/finding.ts';
import { isObject, type JsonObject } from '../schema/json.ts';
import { outputFitter } from '../schema/output/check-output.ts';
import { type Cut, fitText } from './fit-data.ts';

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

/** The outcome of a call of a tool or a resource. */
export interface ToolOutcome {
  status: boolean;
  findings: readonly Finding[];
  data: unknown;
  readonly dataAsString: string | null;
  /** The media type of `data` that is a body in base64. */
  binary?: string;
  /** The media type of the answer, from the API. */
  mimeType?: string;
}

/** The text is sent twice, also as structured content, and clients of the MCP SDK end a session over a message of more than 10 MiB. */
export const maxTextLength: number = 4 * 1024 * 1024;

/** The message for an answer that is too long. `length` is in UTF-16 units. */
export function tooLarge(length: number): string {
  const megabytes = (length / 1024 / 1024).toFixed(1);
  return `The answer has ${megabytes} MiB of text; clients accept at most ${maxTextLength / 1024 / 1024} MiB. Ask for less, for example with a limit or a filter.`;
}

/** The problems and what to do about them, for a model. */
export function failureText(findings: readonly Finding[]): string {
  const lines = findings.map(({ message, hint }) => (hint === undefined ? message : `${message}\n${hint}`));
  return lines.join('\n') || 'The call failed.';
}

/** The MCP result for the outcome of a call. A failed call is a result with `isError`, so that the model sees why. */
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
  // Data that does not match the schema, such as a selected part, is only in the text.
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

/** The media type of a text: that of the answer, unless a handler converted something else to text. */
function textType(mimeType = ''): string {
  return /^text\/|[/+]xml$/.test(mimeType) ? mimeType : 'text/plain';
}

const maxNamed = 20;

function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Reports what was left out to shorten an answer: to models as text, to programs in `_meta`. */
function addCuts(
  result: ToolResult,
  cuts: readonly Cut[],
  { uri, mimeType }: { uri: string | undefined; mimeType: string },
): void {
  const named = cuts.slice(0, maxNamed).map(cutText);
  const more = cuts.length > maxNamed ? [`and ${cuts.length - maxNamed} more`] : [];
  const advice =
    uri === undefined ? 'Ask for less, for example with a limit or a filter.' : `All of it is the resource ${uri}.`;
  const text = `This answer is incomplete, because it is too long: ${[...named, ...more].join('; ')}. ${advice}`;
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

/** Reports rows and pages that a limit left out: to models as text, to programs in `_meta`. */
function withRowCuts(result: ToolResult, findings: readonly Finding[]): ToolResult {
  const cuts = findings.filter(({ code }) => code === 'ROWS_CUT' || code === 'PAGES_LEFT');
  if (cuts.length === 0) return result;
  const texts = cuts.map(({ message, hint }) => (hint === undefined ? `${message}.` : `${message}. ${hint}`));
  return {
    ...result,
    content: [...result.content, { type: 'text', text: `This answer is incomplete. ${texts.join(' ')}` }],
    _meta: { 'schemakit/warnings': cuts.map(({ message }) => message) },
  };
}

/** Image formats that all models accept. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The content for a body in base64: images and sounds as such, others as a resource. `keep` stores a body that is too long. */
function binaryContent(
  base64: string,
  mimeType: string,
  { maxLength, keep }: { maxLength: number } & Pick<AnswerOptions, 'keep'>,
): Pick<ToolResult, 'content' | 'isError'> {
  const size = `${Buffer.byteLength(base64, 'base64')} bytes of ${mimeType}`;
  if (base64.length > maxLength) {
    const uri = keep?.({ mimeType, blob: base64 });
    if (uri === undefined) {
      const most = Math.floor((maxLength * 3) / 4);
      return errorResult(
        `The answer is too large: ${size}; the maximum is ${most}. Ask for a smaller one, for example for a part or a lower resolution, if the tool has parameters for it.`,
      );
    }
    const link: ToolContent = { type: 'resource_link', uri, name: 'answer', mimeType, description: size };
    return { content: [{ type: 'text', text: `The answer is the resource ${uri}: ${size}.` }, link] };
  }
  if (images.has(mimeType)) return { content: [{ type: 'image', data: base64, mimeType }] };
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data: base64, mimeType }] };
  const uri = `schemakit://answers/${randomUUID()}`;
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: base64 } }] };
}

/** A complete answer of which the client gets a part. */
export type WholeAnswer = { mimeType: string; text: string } | { mimeType: string; blob: string };

/** How the answer of a tool is presented to a client. */
export interface AnswerOptions {
  /** A JMESPath expression that selects a part of the data. */
  select?: string | undefined;
  /**
   * The longest text, in UTF-16 units. Longer data loses items of its lists, longer texts lose lines; the answer says what was
   * left out. Default 4 MiB; a longer answer is an error, because clients of the MCP SDK would end the session.
   */
  maxLength?: number | undefined;
  /** Whether a tool with an output schema sends its data as text too (`both`) or as structured content only (`only`). */
  structured?: 'both' | 'only' | undefined;
  /** Stores an answer that is too long and returns the address where it can be read; undefined if it cannot be stored. */
  keep?: ((answer: WholeAnswer) => string | undefined) | undefined;
}

const maxDepth = 50;
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * The JSON Schema of a tool's structured answer, from its `output.schema`. Undefined unless the root is an object, the only
 * root that every MCP revision allows. No field is required and no object is closed: authors describe typical answers, and
 * clients refuse a whole answer because of one missing field.
 */
export function outputJsonSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.type === 'object' ? shapeOf(schema, 0) : undefined;
}

function shapeOf(node: JsonObject, depth: number): JsonObject {
  const shape: JsonObject = {};
  const type = typeof node.type === 'string' && types.includes(node.type) ? node.type : undefined;
  if (type !== undefined) shape.type = node.nullable === true && depth > 0 ? [type, 'null'] : type;
  if (typeof node.description === 'string' && node.description !== '') shape.description = node.description;
  if (isObject(node.properties) && depth < maxDepth) {
    const entries = Object.entries(node.properties).filter(([, child]) => isObject(child));
    shape.properties = Object.fromEntries(
      entries.map(([key, child]) => [key, shapeOf(child as JsonObject, depth + 1)]),
    );
  }
  if (isObject(node.items) && depth < maxDepth) shape.items = shapeOf(node.items as JsonObject, depth + 1);
  return shape;
}

/** The part of an answer that matches the output schema, and the paths of what was left out. */
interface ShapedAnswer {
  value: Record<string, unknown>;
  omitted: string[];
}

/**
 * Makes the function that gives the structured form of an answer. Values of another type than the schema says are left out and
 * named, because clients refuse answers that do not match; the text of the answer stays complete.
 */
export function answerShaper(schema: JsonObject): (data: unknown) => ShapedAnswer {
  const fit = outputFitter(schema);
  return (data) => {
    const omitted: string[] = [];
    const value = fit(data, ({ keys }) => void omitted.push(keys.reduce<string>(childPath, '$')));
    return { value: isObject(value) ? value : {}, omitted };
  };
}
