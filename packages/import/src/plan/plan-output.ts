import { isObject } from '@schemakit/core/internal';
import { joinPointer, nameAt } from '../read/json-pointer.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { ImportContext, Located } from './import-context.ts';
import { plainSchema } from './merge-schemas.ts';
import { shortenText } from './shorten-text.ts';

export interface PlannedOutput {
  output: { mimeType: string; schema: JsonObject };
  /** The media type to ask for, where it is not JSON. */
  accept?: string;
  /** Whether the answer has a `Link` header (RFC 8288). */
  hasLinks: boolean;
}

const components = new WeakMap<object, string>();

/** The component of the document that a part of an output schema describes, such as `Pet`. */
export function componentOf(node: object): string | undefined {
  return components.get(node);
}

/** The format recommends four levels. */
const maxLevels = 4;
const maxNodes = 150;

/** Plans the output from the first successful response. */
export function planOutput(operation: Located<JsonObject>, context: ImportContext): PlannedOutput {
  const responses = isObject(operation.value.responses) ? operation.value.responses : {};
  const statuses = Object.keys(responses)
    .filter((status) => /^2(\d\d|XX)$/i.test(status))
    .sort();
  const found = [...statuses, 'default'].flatMap((status) => {
    const at = joinPointer(operation.pointer, 'responses', status);
    const { value, pointer } = context.resolve({ value: responses[status], pointer: at });
    return isObject(value) ? [{ value, pointer }] : [];
  });
  const response = found.find(({ value }) => isObject(value.content) && Object.keys(value.content).length > 0);
  const content = response && isObject(response.value.content) ? response.value.content : {};
  const types = Object.keys(content);
  const mediaType = types.find(isJson) ?? types[0];
  const headers = response && isObject(response.value.headers) ? Object.keys(response.value.headers) : [];
  const hasLinks = headers.some((name) => name.toLowerCase() === 'link');
  if (mediaType === undefined || response === undefined) {
    return { output: { mimeType: 'application/json', schema: {} }, hasLinks };
  }
  const mimeType = mediaType === '*/*' ? 'application/json' : mediaType;
  const accept = /^application\/json\b/i.test(mimeType) ? {} : { accept: mimeType };
  if (!isJson(mediaType)) return { output: { mimeType, schema: { type: 'string' } }, ...accept, hasLinks };
  const media = content[mediaType];
  const located = {
    value: isObject(media) ? media.schema : undefined,
    pointer: joinPointer(response.pointer, 'content', mediaType, 'schema'),
  };
  return { output: { mimeType, schema: outputSchema(located, context) }, ...accept, hasLinks };
}

function isJson(mediaType: string): boolean {
  return /[/+]json\b|^\*\/\*$/i.test(mediaType);
}

/** As deep as it stays readable. Models get it as the output schema of the tool. */
function outputSchema(located: Located, context: ImportContext): JsonObject {
  for (let levels = maxLevels; ; levels--) {
    let nodes = 0;
    let isCut = false;
    const count = () => {
      nodes += 1;
      return nodes <= maxNodes;
    };
    const schema = outputNode(located, { level: 1, ancestors: new Set() });
    if (nodes > maxNodes && levels > 2) continue;
    if (isCut) {
      const hint = 'Answers are not affected. Describe what callers need in `output.schema`.';
      context.omit('IMP022', located.pointer, `parts of the answer below level ${levels}`, hint);
    }
    return schema;

    function outputNode(
      node: Located,
      { level, ancestors }: { level: number; ancestors: ReadonlySet<string> },
    ): JsonObject {
      const plain = count() ? plainSchema(node, context, ancestors) : undefined;
      if (plain === undefined) {
        isCut = true;
        return {};
      }
      const inner = { level: level + 1, ancestors: new Set([...ancestors, ...plain.refs]) };
      const schema = withVariants(plain.schema, plain.pointer, inner.ancestors);
      const { type = schema.properties === undefined ? undefined : 'object', enum: values } = schema;
      const { text, isCut: isShortened } = shortenText(schema.description, 100);
      if (isShortened) context.keepText(plain.pointer, String(schema.description));
      const hasChildren = isObject(schema.properties) || isObject(schema.items);
      if (hasChildren && level >= levels) isCut = true;
      const child = (value: unknown, ...keys: string[]) =>
        outputNode({ value, pointer: joinPointer(plain.pointer, ...keys) }, inner);
      const isShort =
        Array.isArray(values) && values.length <= 20 && values.every((value) => typeof value === 'string');
      const written = {
        ...(type !== undefined && { type }),
        ...(plain.nullable && { nullable: true }),
        ...(text !== '' && { description: text }),
        ...(isShort && { enum: values }),
        ...(hasChildren &&
          level < levels &&
          isObject(schema.properties) &&
          allows(type, 'object') && {
            properties: Object.fromEntries(
              Object.entries(schema.properties).map(([key, value]) => [key, child(value, 'properties', key)]),
            ),
          }),
        ...(hasChildren &&
          level < levels &&
          isObject(schema.items) &&
          allows(type, 'array') && { items: child(schema.items, 'items') }),
      };
      const component = nameAt(plain.refs.at(-1) ?? '');
      if (component) components.set(written, component);
      return written;
    }

    /** An answer that is one of several objects has the members of all. */
    function withVariants(schema: JsonObject, pointer: string, ancestors: ReadonlySet<string>): JsonObject {
      const variants = [schema.oneOf, schema.anyOf].find(Array.isArray);
      if (variants === undefined) return schema;
      const plains = variants.map((value, index) =>
        plainSchema({ value, pointer: joinPointer(pointer, 'oneOf', index) }, context, ancestors),
      );
      const schemas = plains.map((plain) => plain?.schema ?? {});
      const types = new Set(
        schemas.map(({ type, properties }) => type ?? (properties === undefined ? undefined : 'object')),
      );
      const [type] = types;
      if (types.size !== 1 || typeof type !== 'string') return { description: schema.description };
      const properties = Object.assign({}, ...schemas.map((each) => each.properties), schema.properties);
      const [{ items } = {}] = schemas;
      return {
        ...schema,
        type,
        ...(type === 'object' && { properties }),
        ...(type === 'array' && schemas.length === 1 && { items }),
      };
    }
  }
}

function allows(type: unknown, expected: string): boolean {
  return type === undefined || [type].flat().includes(expected);
}
