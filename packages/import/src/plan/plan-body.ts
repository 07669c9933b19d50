import { isObject } from '@schemakit/core/internal';
import { joinPointer } from '../read/json-pointer.ts';
import { unsaidFormat } from '../read/list-formats.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { ImportContext, Located } from './import-context.ts';
import { plainSchema } from './merge-schemas.ts';
import { cannotSend, styleOf } from './plan-parameters.ts';
import type { PlannedParameter } from './planned-parameter.ts';
import { type NamedExample, readExamples } from './read-examples.ts';
import { schemaShape } from './schema-shape.ts';
import type { Shape } from './shape.ts';
import { shortenText } from './shorten-text.ts';

export interface PlannedBody {
  parameters: PlannedParameter[];
  encoding?: 'form' | 'multipart' | 'text' | 'binary';
  /** Where the encoding does not say it, such as `application/merge-patch+json`. */
  contentType?: string;
  /** Of the whole body. */
  examples: readonly NamedExample[];
}

type Encoding = NonNullable<PlannedBody['encoding']> | 'json';

const binary = /^(application\/(octet-stream|pdf|zip|gzip|x-tar|\*)|(image|audio|video|font)\/.*)/i;

/** The encodings in order of preference. */
const encodings: readonly (readonly [Encoding, RegExp])[] = [
  ['json', /^application\/json\b|^\*\/\*$/i],
  ['json', /[/+]json\b/i],
  ['form', /^application\/x-www-form-urlencoded\b/i],
  ['multipart', /^multipart\/form-data\b/i],
  ['text', /^text\/(?!\*)/i],
  ['binary', binary],
];

/** The media types that are sent without a header of the tool. Of several types of files, that of the file counts. */
const sentTypes: Readonly<Record<Encoding, RegExp>> = {
  json: /^(application\/json|\*\/\*)/i,
  form: /^/,
  multipart: /^/,
  text: /^text\/plain$/,
  binary: /\*$|^application\/octet-stream$/i,
};

const byHand = 'Write the tool by hand, with a handler.';

/** Plans the body of an operation: the members of an object are parameters, any other body is one parameter. */
export function planBody(operation: Located<JsonObject>, method: string, context: ImportContext): PlannedBody {
  const none: PlannedBody = { parameters: [], examples: [] };
  if (operation.value.requestBody === undefined) return none;
  const at = joinPointer(operation.pointer, 'requestBody');
  const { value: body, pointer } = context.resolve({ value: operation.value.requestBody, pointer: at });
  const content = isObject(body) && isObject(body.content) ? body.content : {};
  const types = Object.keys(content);
  const isRequired = isObject(body) && body.required === true;
  const problem = method === 'GET' || method === 'HEAD' ? `the body of a ${method} request` : undefined;
  const [encoding, mediaType] =
    encodings.flatMap(([name, pattern]) =>
      types.filter((type) => pattern.test(type)).map((type) => [name, type] as const),
    )[0] ?? [];
  if (problem !== undefined || encoding === undefined || mediaType === undefined) {
    const message = problem ?? `a body that is written as ${types.join(' or ') || 'nothing that is described'}`;
    if (isRequired) context.leaveOut('IMP011', pointer, message, byHand);
    context.omit('IMP020', pointer, message, 'The tool works without it.');
    return none;
  }
  const alternatives = types.filter((type) => encoding === 'binary' && binary.test(type));
  const others = types.filter((type) => type !== mediaType && !alternatives.includes(type));
  if (others.length > 0) {
    const message = `a body as ${others.join(' or ')}, because ${mediaType} is used`;
    context.omit('IMP023', joinPointer(pointer, 'content'), message, 'Change `encoding` of the tool to use another.');
  }
  const media = isObject(content[mediaType]) ? content[mediaType] : {};
  const located = { value: media.schema ?? {}, pointer: joinPointer(pointer, 'content', mediaType, 'schema') };
  const text = isObject(body) ? body.description : undefined;
  const isSent = sentTypes[encoding].test(mediaType) || alternatives.length > 1;
  return {
    parameters: bodyParameters(located, { encoding, media, method, isRequired, text }, context),
    ...(encoding !== 'json' && { encoding }),
    ...(!isSent && { contentType: mediaType }),
    examples: [...readExamples(media, context), ...readExamples(context.resolve(located).value, context)],
  };
}

interface BodyPlace {
  encoding: Encoding;
  media: JsonObject;
  method: string;
  isRequired: boolean;
  text: unknown;
}

function bodyParameters(located: Located, place: BodyPlace, context: ImportContext): PlannedParameter[] {
  const { encoding, media, method, isRequired, text } = place;
  const options = { sendsDefaults: method !== 'PATCH', takesFiles: encoding === 'multipart' };
  const isFile = encoding === 'binary';
  if (isFile || encoding === 'text') {
    const { text: description } = shortenText(text, 240);
    const shape: Shape = { type: isFile ? 'file' : 'string', ...(description !== '' && { description }) };
    return [
      { key: 'body', location: 'body', shape: { ...shape, ...(!isRequired && { optional: true }) }, examples: [] },
    ];
  }
  const members = memberSchemas(located, context);
  // Without parameters, a DELETE has no body; other methods send `{}`.
  const isMissing = members?.length === 0 && isRequired && method === 'DELETE';
  if (members === undefined || isMissing) return wholeBody(located, { ...place, options }, context);
  return members.flatMap(({ name, isOptional, ancestors, ...member }): PlannedParameter[] => {
    const {
      nullable,
      default: value,
      ...shape
    } = schemaShape(member, context, { ...options, isRequired: !isOptional, ancestors });
    const described = context.resolve(member).value;
    const { description: full, [unsaidFormat]: unsaid } = isObject(described) ? described : {};
    if (unsaid !== undefined) {
      cannotSend(`the field ${JSON.stringify(name)}, which is written as ${unsaid}`, !isOptional, member, context);
      return [];
    }
    const details = isObject(media.encoding) && isObject(media.encoding[name]) ? media.encoding[name] : {};
    // Where there is only a content type, it counts (OpenAPI, "Encoding Object").
    const isStyled = encoding === 'form' && (details.style !== undefined || details.explode !== undefined);
    const parameter: PlannedParameter = {
      key: name,
      location: 'body',
      shape: {
        ...shape,
        ...(options.sendsDefaults && value !== undefined && { default: value }),
        ...(isOptional && { optional: true }),
      },
      ...(isStyled && styleOf(details, 'query', shape)),
      examples: readExamples(described, context).map((example) => example.value),
      ...(shortenText(full, 240).isCut && { fullText: String(full) }),
    };
    return [parameter];
  });
}

function wholeBody(
  located: Located,
  { encoding, isRequired, text, options }: BodyPlace & { options: Parameters<typeof schemaShape>[2] },
  context: ImportContext,
): PlannedParameter[] {
  if (encoding !== 'json') {
    context.leaveOut('IMP011', located.pointer, 'a form without a description of its fields', byHand);
  }
  const { nullable, ...shape } = schemaShape(located, context, options);
  const description = shape.description ?? shortenText(text, 240).text;
  const full: Shape = { ...shape, ...(!isRequired && { optional: true }), ...(description !== '' && { description }) };
  return [{ key: 'body', location: 'body', shape: full, whole: true, examples: [] }];
}

interface Member extends Located {
  name: string;
  /** The references that led to the object. */
  ancestors: readonly string[];
  isOptional: boolean;
}

/** The members of an object with named members only, or with none. Undefined for any other schema, which is sent as a whole. */
function memberSchemas(located: Located, context: ImportContext): Member[] | undefined {
  const plain = plainSchema(located, context, new Set());
  if (plain === undefined) return undefined;
  const { schema, pointer } = plain;
  const {
    properties = schema.additionalProperties === false ? {} : undefined,
    required,
    additionalProperties,
  } = schema;
  const isEmpty = isObject(properties) && Object.keys(properties).length === 0;
  const isOpen = isEmpty
    ? additionalProperties === true || isObject(additionalProperties)
    : isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  const hasVariants = [schema.oneOf, schema.anyOf].some((list) => Array.isArray(list) && list.some(hasMembers));
  if (!isObject(properties) || isOpen || hasVariants || plain.nullable) return undefined;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  // Some documents require members that they do not describe.
  const undescribed = names.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
  const all = [...Object.entries(properties), ...undescribed.map((name) => [String(name), {}] as const)];
  return all.flatMap(([name, value]): Member[] => {
    const at = joinPointer(pointer, 'properties', name);
    const { value: found } = context.resolve({ value, pointer: at });
    if (found === false || (isObject(found) && found.readOnly === true)) return [];
    return [{ name, value, pointer: at, isOptional: !names.includes(name), ancestors: plain.refs }];
  });

  function hasMembers(variant: unknown): boolean {
    const found = plainSchema({ value: variant, pointer }, context, new Set());
    return found !== undefined && isObject(found.schema.properties);
  }
}
