import { isObject } from '@schemakit/core/internal';
import { joinPointer } from '../read/json-pointer.ts';
import { unsaidFormat } from '../read/list-formats.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { ImportContext, Located } from './import-context.ts';
import type { PlannedParameter } from './planned-parameter.ts';
import { readExamples } from './read-examples.ts';
import { schemaShape } from './schema-shape.ts';
import type { Shape } from './shape.ts';
import { shortenText } from './shorten-text.ts';

interface ParameterObject extends JsonObject {
  name: string;
  in: string;
}

export interface PlannedParameters {
  /** The path with the placeholders of the format. */
  path: string;
  parameters: PlannedParameter[];
  /** The header for a key that makes repeated calls safe. */
  idempotencyHeader?: string;
}

/** Plans the parameters of an operation: those of its path item, and its own in their place. */
export function planParameters(
  { path, holders, bodyKeys }: { path: string; holders: readonly Located[]; bodyKeys: ReadonlySet<string> },
  context: ImportContext,
): PlannedParameters {
  const found = new Map<string, Located<ParameterObject>>();
  for (const { value: list, pointer } of holders) {
    if (!Array.isArray(list)) continue;
    for (const [index, item] of list.entries()) {
      const located = context.resolve({ value: item, pointer: joinPointer(pointer, index) });
      if (!isParameter(located.value)) continue;
      found.set(`${located.value.in} ${located.value.name}`, { value: located.value, pointer: located.pointer });
    }
  }
  const others = [...found.values()].filter(({ value }) => value.in !== 'path');
  const header = others.find(({ value }) => value.in === 'header' && /^idempotency-key$/i.test(value.name));
  const sent = others.flatMap((each): PlacedParameter[] => {
    const planned = each === header ? undefined : planOne(each, context);
    return planned === undefined ? [] : [{ planned, pointer: each.pointer }];
  });
  const taken = new Set([...sent.map(({ planned }) => planned.key), ...bodyKeys]);
  const placed = planPath(path, { found, taken }, context);
  return {
    path: placed.path,
    parameters: [...placed.parameters, ...withoutClashes(sent, context)],
    ...(header !== undefined && { idempotencyHeader: header.value.name }),
  };
}

function isParameter(value: unknown): value is ParameterObject {
  return isObject(value) && typeof value.name === 'string' && typeof value.in === 'string' && value.name !== '';
}

/** Placeholders are names of our own, so a path parameter can have another name than a parameter elsewhere. */
function planPath(
  template: string,
  { found, taken }: { found: ReadonlyMap<string, Located<ParameterObject>>; taken: ReadonlySet<string> },
  context: ImportContext,
): Pick<PlannedParameters, 'path' | 'parameters'> {
  const parameters: PlannedParameter[] = [];
  const [plain = ''] = template.split('#', 1);
  const path = plain.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const word = name.replace(/[^A-Za-z0-9_]+(.?)/g, (__, next: string) => next.toUpperCase());
    const key = taken.has(word) ? `path${word.charAt(0).toUpperCase()}${word.slice(1)}` : word;
    if (parameters.some((other) => other.key === key)) return `{{${key}}}`;
    const declared = found.get(`path ${name}`);
    const own = declared && planOne({ ...declared, value: { ...declared.value, required: true } }, context);
    const planned: PlannedParameter = own ?? { key, location: 'insert', shape: { type: 'string' }, examples: [] };
    const keepsSlashes = declared?.value.allowReserved === true || declared?.value['x-allowReserved'] === true;
    const isSegment = !keepsSlashes && canHaveSlash(planned.shape);
    parameters.push({ ...planned, ...(isSegment && { style: planned.style ?? 'simple' }), key });
    return `{{${key}}}`;
  });
  return { path: path.startsWith('/') ? path : `/${path}`, parameters };
}

/** Without a style, a slash in a value would lead to another operation. */
function canHaveSlash({ type, values = [] }: Shape): boolean {
  if (type === 'enum') return values.some((value) => String(value).includes('/'));
  return !['integer', 'number', 'boolean'].includes(type);
}

/** They follow from the body and the answer (OpenAPI, "Parameter Object"), or belong to the connection. */
const ownHeaders = /^(accept|content-type|authorization)$/i;
const connectionHeaders =
  /^(host|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

const locations: Readonly<Record<string, PlannedParameter['location']>> = {
  path: 'insert',
  query: 'query',
  header: 'header',
  cookie: 'cookie',
};

function planOne({ value, pointer }: Located<ParameterObject>, context: ImportContext): PlannedParameter | undefined {
  const { name, required, description } = value;
  const location = locations[value.in];
  const isRequired = required === true;
  if (location === 'header' && ownHeaders.test(name)) return undefined;
  if (location === undefined || (location === 'header' && connectionHeaders.test(name))) {
    return cannotSend(
      `the ${value.in} parameter ${JSON.stringify(name)}, which cannot be sent`,
      isRequired,
      { value, pointer },
      context,
    );
  }
  const content = isObject(value.content) ? Object.entries(value.content)[0] : undefined;
  const [mediaType, media] = content ?? [];
  const schema = isObject(media) ? media.schema : value.schema;
  const at =
    content === undefined ? joinPointer(pointer, 'schema') : joinPointer(pointer, 'content', mediaType ?? '', 'schema');
  // The description of a parameter counts before that of its schema, which may add its format to it.
  const described = {
    ...(isObject(schema) ? schema : { type: 'string' }),
    ...(description !== undefined && { description }),
  };
  const options = { sendsDefaults: true, takesFiles: false, isRequired };
  const { nullable, optional, ...shape } = schemaShape({ value: described, pointer: at }, context, options);
  const isUnsaid = mediaType !== undefined && (shape.type === 'array' || !/json/i.test(mediaType));
  const writtenAs = value[unsaidFormat] ?? (isUnsaid ? mediaType : undefined);
  if (writtenAs !== undefined) {
    return cannotSend(
      `the parameter ${JSON.stringify(name)}, which is written as ${writtenAs}`,
      isRequired,
      { value, pointer },
      context,
    );
  }
  if (value.allowReserved === true) {
    context.omit(
      'IMP021',
      joinPointer(pointer, 'allowReserved'),
      'reserved characters that are not encoded',
      'Most APIs decode them.',
    );
  }
  const text = [value.deprecated === true ? 'Deprecated.' : '', shape.description].filter(Boolean).join(' ');
  return {
    key: name,
    location,
    shape: { ...shape, ...(!isRequired && { optional: true }), ...(text !== '' && { description: text }) },
    ...(mediaType === undefined && styleOf(value, location, shape)),
    examples: [
      ...readExamples(value, context),
      ...readExamples(media, context),
      ...readExamples(resolved(schema, context), context),
    ].map((example) => example.value),
    ...(shortenText(description, 240).isCut && { fullText: String(description) }),
  };
}

function resolved(schema: unknown, context: ImportContext): unknown {
  return context.resolve({ value: schema, pointer: '' }).value;
}

/** Leaves a parameter out, or the whole operation if it is required. */
export function cannotSend(
  message: string,
  isRequired: boolean,
  { pointer }: Located,
  context: ImportContext,
): undefined {
  if (isRequired) return context.leaveOut('IMP013', pointer, message, 'Write the tool by hand, with a handler.');
  context.omit('IMP020', pointer, message, 'The tool works without it.');
  return undefined;
}

/** `style` and `explode` where they matter: for lists and objects, and for prefixes in the path. A list in a header has commas without them. */
export function styleOf(
  { style, explode }: JsonObject,
  location: PlannedParameter['location'],
  shape: Shape,
): Pick<PlannedParameter, 'style' | 'explode'> {
  const isFormPlace = location === 'query' || location === 'cookie';
  const written = typeof style === 'string' && style !== 'cookie' ? style : isFormPlace ? 'form' : 'simple';
  const usual = written === 'form' || written === 'deepObject';
  const exploded = typeof explode === 'boolean' ? explode : usual;
  const explicit = { style: written, ...(exploded !== usual && { explode: exploded }) };
  if (written === 'label' || written === 'matrix') return explicit;
  if (!isStructured(shape)) return {};
  return shape.type === 'array' && location === 'header' ? {} : explicit;
}

function isStructured({ type, variants = [] }: Shape): boolean {
  return ['array', 'object', 'record'].includes(type) || variants.some(isStructured);
}

interface PlacedParameter {
  planned: PlannedParameter;
  pointer: string;
}

/** One name is one input of a tool. */
function withoutClashes(parameters: readonly PlacedParameter[], context: ImportContext): PlannedParameter[] {
  const kept = new Map<string, PlannedParameter>();
  for (const { planned, pointer } of parameters) {
    if (!kept.has(planned.key)) kept.set(planned.key, planned);
    else {
      const message = `the ${planned.location} parameter ${JSON.stringify(planned.key)}: another parameter has that name`;
      cannotSend(message, !planned.shape.optional, { value: planned, pointer }, context);
    }
  }
  return [...kept.values()];
}
