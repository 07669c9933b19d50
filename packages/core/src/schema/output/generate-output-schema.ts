import { checkResult, type Finding, messageOf, type Report, type Result } from '../finding.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type OutputType, outputFinding } from './check-output.ts';
import { collectEvidence, type Evidence } from './output-evidence.ts';
import { parseAnswerJson } from './parse-answer-json.ts';

export interface GenerateOutputOptions {
  /** A captured answer as text or as a parsed value. */
  response: unknown;
  /** Its media type. Default `application/json`. */
  mimeType?: string;
  /** Maximum levels of objects and arrays; at most 50. Default 8. */
  maxLevels?: number;
}

/** An output block for a tool; `type` and `fields` describe its root. */
export interface GeneratedOutput {
  mimeType: string;
  schema: JsonObject;
  type: string;
  /** The fields of the root by name; if the root is an array, those of its items. */
  fields: JsonObject;
}

export type GeneratedOutputSchema = Result<{ output: GeneratedOutput }, { output: null }>;

/**
 * Infers an output block from a captured answer. All items of an array are merged; `nullable` means that null was seen.
 * A node with several types has no `type`, but a description. Deterministic.
 */
export function generateOutputSchema(options: GenerateOutputOptions): GeneratedOutputSchema {
  const { response, mimeType = 'application/json', maxLevels = 8 } = options ?? {};
  const findings: Finding[] = [];
  const report: Report = (finding) => void findings.push(finding);
  const mediaType = mediaTypeOf(mimeType);
  if (mediaType === undefined) {
    const hint = 'Pass the Content-Type of the answer, such as "application/json".';
    report(outputFinding('OUT001', 'mimeType', 'mimeType is not a media type', hint));
  }
  if (response === undefined) report(outputFinding('OUT001', 'response', 'response is required'));
  if (mediaType === undefined || response === undefined)
    return { ...checkResult(findings), status: false, output: null };
  const schema = inferSchema(response, { mediaType, maxLevels: Math.min(maxLevels, 50), report });
  if (schema === undefined) return { ...checkResult(findings), status: false, output: null };
  const type = typeof schema.type === 'string' ? schema.type : '';
  return {
    ...checkResult(findings),
    status: true,
    output: { mimeType: mediaType, schema, type, fields: fieldsOf(schema) },
  };
}

interface Inference {
  mediaType: string;
  maxLevels: number;
  report: Report;
}

function inferSchema(response: unknown, inference: Inference): JsonObject | undefined {
  try {
    return schemaOf(response, inference);
  } catch (error) {
    inference.report(outputFinding('OUT001', 'response', `the response cannot be read: ${messageOf(error)}`));
    return undefined;
  }
}

function schemaOf(response: unknown, { mediaType, maxLevels, report }: Inference): JsonObject {
  const isBytes = ArrayBuffer.isView(response) || response instanceof ArrayBuffer;
  if (isBytes || (typeof response === 'string' && isBinaryMediaType(mediaType))) {
    return { type: 'string', format: 'base64' };
  }
  const isText = typeof response === 'string';
  const value = isText ? parseText(response, mediaType, report) : response;
  const { root, omitted } = collectEvidence(value, { maxLevels, mayLackDigits: !isText });
  if (omitted.levels) {
    report(outputFinding('OUT003', '', `the answer has more than ${maxLevels} levels; deeper ones are not described`));
  }
  if (omitted.size) {
    const hint = 'Objects whose keys are data are best described by hand, without properties.';
    report(outputFinding('OUT003', '', 'the answer is too large to describe completely', hint));
  }
  return nodeOf(root, '');
}

/** The value that a call would return: text that looks like JSON is parsed for any media type. */
function parseText(text: string, mediaType: string, report: Report): unknown {
  const isJson = isJsonMediaType(mediaType);
  if (!isJson && !/^\s*[[{]/.test(text)) return text;
  try {
    return parseAnswerJson(text.replace(/^\uFEFF/, ''));
  } catch {
    if (isJson) report(outputFinding('OUT002', 'response', 'the response is not JSON; it is described as text'));
    return text;
  }
}

/** @param key the name of the field, or of the array that the items are in */
function nodeOf({ types, properties, items }: Evidence, key: string): JsonObject {
  const seen = order.filter((type) => types.has(type) && !(type === 'integer' && types.has('number')));
  if (seen.length === 0) return { type: guessType(key), nullable: true };
  return {
    ...(seen.length === 1 ? { type: seen[0] as OutputType } : { description: `Either ${seen.join(' or ')}.` }),
    ...(types.has('null') && { nullable: true }),
    ...(properties.size > 0 && {
      properties: Object.fromEntries([...properties].map(([name, child]) => [name, nodeOf(child, name)])),
    }),
    ...(items && { items: nodeOf(items, key) }),
  };
}

const order: readonly OutputType[] = ['object', 'array', 'string', 'number', 'integer', 'boolean'];

function fieldsOf(node: JsonObject): JsonObject {
  const holder = isObject(node.items) ? node.items : node;
  return isObject(holder.properties) ? (holder.properties as JsonObject) : {};
}

/** The type and subtype of a `Content-Type`, in lower case; undefined if it is invalid (RFC 9110, 8.3.1). */
function mediaTypeOf(contentType: unknown): string | undefined {
  const essence = typeof contentType === 'string' ? (contentType.split(';', 1)[0] ?? '').trim().toLowerCase() : '';
  return /^[^\s/]+\/[^\s/]+$/.test(essence) ? essence : undefined;
}

function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json') || mediaType === 'text/json';
}

/** Whether answers of this type are bytes, which tools return as base64. */
function isBinaryMediaType(mediaType: string): boolean {
  if (/^(image|audio|video|font)\//.test(mediaType)) return mediaType !== 'image/svg+xml';
  return /^application\/(octet-stream|pdf|zip|gzip|x-protobuf|protobuf|wasm|msgpack|vnd\.ms-|vnd\.openxml)/.test(
    mediaType,
  );
}

/** Guesses a type by name where only null was seen: `marketCap` is a number, `isActive` a boolean, anything else text. */
function guessType(key: string): 'string' | 'number' | 'boolean' {
  const words = wordsOf(key);
  if (words.length > 1 && questionWords.includes(words[0] ?? '')) return 'boolean';
  const plain = key.toLowerCase();
  if (amountParts.some((part) => plain.includes(part))) return 'number';
  if (words.some((word) => amountWords.includes(word.replace(/s$/, '')))) return 'number';
  return stateWords.some((word) => plain.startsWith(word)) ? 'boolean' : 'string';
}

const questionWords = ['is', 'has', 'can', 'should'];
const amountParts = 'price amount balance volume total supply value height width index number timestamp decimals'.split(
  ' ',
);
// Only as words of their own: they are part of account, caption, feedback, corporate and resized.
const amountWords = ['cap', 'count', 'fee', 'rate', 'size'];
const stateWords = 'enabled active verified valid visible hidden frozen'.split(' ');

/** `marketCap_usd` is market, cap and usd. */
function wordsOf(key: string): string[] {
  return key
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Merges an inferred output block into an existing one, which keeps its media type, descriptions and unseen fields. Idempotent. */
export function mergeOutput(
  written: unknown,
  { mimeType, schema }: { mimeType: string; schema: JsonObject },
): JsonObject {
  if (!isObject(written)) return { mimeType, schema };
  const before = written as JsonObject;
  return {
    ...before,
    mimeType: typeof before.mimeType === 'string' ? before.mimeType : mimeType,
    schema: isObject(before.schema) ? mergeNode(before.schema as JsonObject, schema) : schema,
  };
}

function mergeNode(written: JsonObject, seen: JsonObject): JsonObject {
  const type = mergedType(written, seen);
  if (type !== written.type) {
    const { description = written.description } = seen;
    return description === undefined ? seen : { ...seen, description };
  }
  return {
    ...written,
    ...(seen.nullable === true && { nullable: true }),
    ...mergedProperties(written.properties, seen.properties),
    ...(isObject(seen.items) && { items: mergedPart(written.items, seen.items as JsonObject) }),
  };
}

/** The written type, or the seen one that replaces it. */
function mergedType(written: JsonObject, seen: JsonObject): JsonValue | undefined {
  // Alternatives (`oneOf`) by the author are more precise than one type.
  if (written.type === undefined) return written.oneOf === undefined ? seen.type : undefined;
  // If only null was seen, the inferred type is a guess.
  if (seen.nullable === true && seen.properties === undefined && seen.items === undefined) return written.type;
  return written.type === 'number' && seen.type === 'integer' ? 'number' : seen.type;
}

function mergedProperties(written: JsonValue | undefined, seen: JsonValue | undefined): { properties?: JsonObject } {
  if (!isObject(seen)) return {};
  const before = isObject(written) ? (written as JsonObject) : {};
  const merged = new Map<string, JsonValue>(Object.entries(before));
  for (const [name, node] of Object.entries(seen as JsonObject)) {
    const own = Object.hasOwn(before, name) ? before[name] : undefined;
    merged.set(name, mergedPart(own, node as JsonObject));
  }
  return { properties: Object.fromEntries(merged) };
}

function mergedPart(written: JsonValue | undefined, seen: JsonObject): JsonObject {
  return isObject(written) ? mergeNode(written as JsonObject, seen) : seen;
}
