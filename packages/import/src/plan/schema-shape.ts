import { compilePattern, isObject } from '@schemakit/core/internal';
import { joinPointer } from '../read/json-pointer.ts';
import type { JsonObject } from '../read/read-document.ts';
import { accepts, defaultOf } from './default-of.ts';
import { descriptionOf, maxInnerText } from './description-of.ts';
import type { ImportContext, Located } from './import-context.ts';
import { type PlainSchema, plainSchema } from './merge-schemas.ts';
import { anything, type Shape, zBlock } from './shape.ts';
import { shortenText } from './shorten-text.ts';
import { kindOf, withKind } from './variant-kind.ts';

/** A shape longer than this is no longer read, neither by people nor by models. The format allows 500 parts and 20,000 characters. */
const maxParts = 200;
const maxCharacters = 8000;
const maxLevels = 8;
/** How often a circle is written: callers see the members of a value inside of itself. */
const maxRounds = 2;

const cutHint =
  'Callers may pass any value there; the description of the API says which. Write the shape by hand if they need it.';

export interface ShapeOptions {
  /** Whether the defaults of members are sent. Not in a PATCH, where they would overwrite what is there. */
  sendsDefaults: boolean;
  /** Whether bytes can be sent, as in a form with files. */
  takesFiles: boolean;
  /** Whether callers could not leave the value out: it is fixed if there is only one. Default: false. */
  isRequired?: boolean;
  /** The references that led to the value. Default: none. */
  ancestors?: readonly string[];
}

interface Place {
  located: Located;
  level: number;
  /** The references that led here, those of a circle once for each round. */
  ancestors: readonly string[];
  /** Inside of a value that is written as text: only the value itself, or an item of its list, can be a file. */
  isInside?: boolean | undefined;
}

/**
 * The shape of a JSON Schema, as deep as it stays readable. Constraints that the format cannot write are noted and not checked: the
 * shape may take more than the schema, never something else.
 */
export function schemaShape(located: Located, context: ImportContext, options: ShapeOptions): Shape {
  const { isRequired = false, ancestors = [] } = options;
  for (let levels = maxLevels; levels > 0; levels--) {
    const notes: Parameters<ImportContext['omit']>[] = [];
    const noting: ImportContext = { ...context, omit: (...note) => notes.push(note) };
    const builder = createShapeBuilder(noting, { ...options, levels });
    const shape = builder.build({ located, level: 0, ancestors });
    if (levels > 1 && (builder.isTooLarge() || zBlock(shape).primitive.length > maxCharacters)) continue;
    if (!isRequired || shape.only === undefined) for (const note of notes) context.omit(...note);
    return shape;
  }
  return { type: 'object' };
}

function createShapeBuilder(
  context: ImportContext,
  { levels, sendsDefaults, takesFiles }: ShapeOptions & { levels: number },
): { build(place: Place): Shape; isTooLarge(): boolean } {
  let parts = 0;

  function build(place: Place): Shape {
    parts += 1;
    const { located, level, ancestors } = place;
    if (parts > maxParts) return { type: 'object' };
    const plain = plainSchema(located, context, closed(ancestors));
    if (plain === undefined) {
      context.omit('IMP022', located.pointer, 'parts of a circular value', cutHint);
      return { type: 'object' };
    }
    const { schema, nullable } = plain;
    const inner = { level: level + 1, ancestors: [...ancestors, ...plain.refs], isInside: place.isInside };
    const isTooDeep = level >= levels && isNested(schema) && !(isFlat(schema) && level < maxLevels - 1);
    const shape = isTooDeep ? cut(plain, level) : typeShape(plain, inner);
    return {
      ...shape,
      ...(nullable && { nullable }),
      ...fittingDefault(plain, shape),
      ...describe(plain, shape, level),
    };
  }

  /** References that may not be followed again. */
  function closed(ancestors: readonly string[]): ReadonlySet<string> {
    return new Set(ancestors.filter((ref) => ancestors.filter((other) => other === ref).length >= maxRounds));
  }

  function describe({ schema, pointer }: PlainSchema, shape: Shape, level: number): Pick<Shape, 'description'> {
    const { description } = schema;
    if (level > 0 && shortenText(description, maxInnerText).isCut) context.keepText(pointer, String(description));
    return descriptionOf(schema, shape, { level, sendsDefaults });
  }

  /** A default that the shape itself would refuse is not sent. */
  function fittingDefault({ schema, pointer }: PlainSchema, shape: Shape): Pick<Shape, 'default'> {
    if (schema.default === undefined || schema.default === null || accepts(shape, schema.default))
      return defaultOf(schema, shape);
    const message = 'a default that its own schema does not allow';
    context.omit('IMP021', joinPointer(pointer, 'default'), message, 'It is not sent; the API uses its own.');
    return {};
  }

  function cut({ schema, pointer }: PlainSchema, level: number): Shape {
    context.omit('IMP022', pointer, `parts of a value below level ${levels}`, cutHint);
    if (typeOf(schema) === 'object') return anyObject(level);
    return typeOf(schema) === 'array' ? { type: 'array' } : anything;
  }

  function typeShape(plain: PlainSchema, inner: Omit<Place, 'located'>): Shape {
    const { schema, pointer } = plain;
    if (schema.const !== undefined) return enumShape([schema.const], plain);
    if (Array.isArray(schema.enum)) return enumShape(schema.enum, plain);
    for (const key of ['oneOf', 'anyOf'] as const) {
      if (Array.isArray(schema[key])) return variantsShape(key, schema[key], plain, inner);
    }
    noteUnchecked(plain);
    const child = (key: string): Place => ({
      ...inner,
      located: { value: schema[key], pointer: joinPointer(pointer, key) },
    });
    switch (typeOf(schema)) {
      case 'string':
        return stringShape(plain, takesFiles && !inner.isInside);
      case 'integer':
      case 'number':
        return { type: schema.type === 'integer' ? 'integer' : 'number', ...bounds(schema) };
      case 'boolean':
        return { type: 'boolean' };
      case 'array':
        return {
          type: 'array',
          ...(isObject(schema.items) && {
            items: withoutDefault(build({ ...child('items'), isInside: inner.isInside || inner.level > 1 })),
          }),
          ...limits(schema.minItems, schema.maxItems),
        };
      case 'object':
        return objectShape(plain, { ...inner, isInside: true });
      case 'several': {
        const types = schema.type as readonly string[];
        return {
          type: 'union',
          variants: types.map((type) => typeShape({ ...plain, schema: { ...schema, type } }, inner)),
        };
      }
      default:
        return anything;
    }
  }

  function objectShape({ schema, pointer }: PlainSchema, inner: Omit<Place, 'located'>): Shape {
    const { properties, additionalProperties: others } = schema;
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    const described = isObject(properties) ? properties : {};
    const names = new Set([...Object.keys(described), ...required.filter((name) => typeof name === 'string')]);
    if (names.size === 0) {
      if (others === false) return { type: 'object', properties: {} };
      const isTyped = isObject(others) && Object.keys(others).length > 0;
      const located = { value: others, pointer: joinPointer(pointer, 'additionalProperties') };
      if (isTyped) return { type: 'record', items: withoutDefault(build({ ...inner, located })) };
      return anyObject(inner.level - 1);
    }
    if (others === true || isObject(others)) {
      const message = 'members of an object that have no name';
      context.omit(
        'IMP021',
        joinPointer(pointer, 'additionalProperties'),
        message,
        'Callers can pass the named members only.',
      );
    }
    const members: Record<string, Shape> = {};
    for (const name of names) {
      const located = {
        value: Object.hasOwn(described, name) ? described[name] : {},
        pointer: joinPointer(pointer, 'properties', name),
      };
      if (described[name] === false || isReadOnly(located)) continue;
      const member = build({ ...inner, located });
      const isOptional = !required.includes(name);
      const { default: value, ...rest } = member;
      members[name] = { ...(sendsDefaults ? member : rest), ...(isOptional && { optional: true }) };
    }
    return { type: 'object', properties: members };
  }

  /** The server sets it, and may refuse it in a request. */
  function isReadOnly(located: Located): boolean {
    const { value } = context.resolve(located);
    return isObject(value) && value.readOnly === true;
  }

  function variantsShape(
    key: 'oneOf' | 'anyOf',
    variants: readonly unknown[],
    plain: PlainSchema,
    inner: Omit<Place, 'located'>,
  ): Shape {
    const { schema, pointer } = plain;
    const { [key]: _, discriminator, ...base } = schema;
    const hasBase = isObject(base.properties) || base.type === 'object';
    const isRule = variants.every(
      (variant) => isObject(variant) && !variant.$ref && !('type' in variant) && !isObject(variant.properties),
    );
    if (hasBase && isRule) {
      context.omit('IMP021', joinPointer(pointer, key), 'a rule which members go together', 'The API checks it.');
      return typeShape({ ...plain, schema: base }, inner);
    }
    // It may be in the schema that all variants extend.
    const told = isObject(discriminator) ? discriminator : sharedDiscriminator(variants, pointer, inner);
    const member = typeof told?.propertyName === 'string' ? told.propertyName : undefined;
    const shapes = variants.map((variant, index) => {
      const value = hasBase ? { allOf: [withoutTexts(base), variant] } : variant;
      const shape = build({
        ...inner,
        level: inner.level,
        located: { value, pointer: joinPointer(pointer, key, index) },
      });
      return member === undefined ? withoutDefault(shape) : withKind(shape, member, kindOf(variant, told ?? {}));
    });
    const distinct = [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()];
    const [first] = distinct;
    if (first === undefined) return anything;
    if (distinct.length === 1) return first;
    if (distinct.every(({ type }) => type === 'enum')) {
      return { type: 'enum', values: [...new Set(distinct.flatMap(({ values = [] }) => values))] };
    }
    const isTold =
      member !== undefined && distinct.every(({ properties }) => properties?.[member]?.values?.length === 1);
    const kinds = new Set(distinct.map(({ properties }) => properties?.[member ?? '']?.values?.[0]));
    return {
      type: 'union',
      variants: distinct,
      ...(isTold && kinds.size === distinct.length && { discriminator: member }),
    };
  }

  function sharedDiscriminator(
    variants: readonly unknown[],
    pointer: string,
    { ancestors }: Omit<Place, 'located'>,
  ): JsonObject | undefined {
    const found = variants.map(
      (value) => plainSchema({ value, pointer }, context, closed(ancestors))?.schema.discriminator,
    );
    const [first] = found;
    return isObject(first) && found.every((each) => each === first) ? first : undefined;
  }

  function enumShape(given: readonly unknown[], { schema, pointer }: PlainSchema): Shape {
    const values = [...new Set(given.filter((value) => value !== null && value !== ''))];
    const texts = values.filter((value) => typeof value === 'string');
    const numbers = values.filter((value) => typeof value === 'number');
    const booleans = values.filter((value) => typeof value === 'boolean');
    if (texts.length + numbers.length + booleans.length < values.length || values.length === 0) {
      noteUncheckedEnum(pointer);
      return anything;
    }
    if (numbers.length > 1 || booleans.length === 1) noteUncheckedEnum(pointer);
    const description = (allowed: readonly unknown[]) => {
      const words = allowed.length === 1 ? `Only ${allowed}.` : `One of ${allowed.join(', ')}.`;
      return { description: shortenText([schema.description, words].filter(Boolean).join(' '), 200).text };
    };
    const type = numbers.every(Number.isInteger) ? 'integer' : 'number';
    const variants: Shape[] = [
      ...(texts.length > 0 ? [{ type: 'enum' as const, values: texts }] : []),
      ...(numbers.length > 0
        ? [{ type, min: Math.min(...numbers), max: Math.max(...numbers), ...description(numbers) } as const]
        : []),
      ...(booleans.length > 0
        ? [{ type: 'boolean' as const, ...(booleans.length === 1 && description(booleans)) }]
        : []),
    ];
    const [first] = variants;
    if (first === undefined || variants.length > 1) return { type: 'union', variants };
    const [only] = [...numbers, ...booleans];
    return values.length === 1 && only !== undefined ? { ...first, only } : first;
  }

  function noteUncheckedEnum(pointer: string): void {
    const message = 'a check of the values of an enum that are not text';
    context.omit('IMP021', joinPointer(pointer, 'enum'), message, 'Callers can pass others; the API refuses them.');
  }

  function stringShape({ schema, pointer }: PlainSchema, canBeFile: boolean): Shape {
    const isBinary =
      schema.format === 'binary' || (schema.contentMediaType !== undefined && schema.contentEncoding === undefined);
    if (isBinary && canBeFile) return { type: 'file' };
    const shape: Shape = { type: 'string', ...limits(schema.minLength, schema.maxLength) };
    const regex = typeof schema.pattern === 'string' ? schema.pattern : formatPatterns[String(schema.format)];
    if (regex === undefined) return shape;
    if ('problem' in compilePattern(regex)) {
      const message = `a pattern that cannot be matched in linear time, ${regex}`;
      context.omit('IMP021', joinPointer(pointer, 'pattern'), message, 'The API checks it.');
      return shape;
    }
    return { ...shape, regex };
  }

  function noteUnchecked({ schema, pointer }: PlainSchema): void {
    for (const key of [...unchecked, ...(typeOf(schema) === 'array' ? uncheckedInArrays : [])]) {
      const isBound = key.startsWith('exclusive') && schema.type === 'integer';
      if (schema[key] === undefined || schema[key] === false || isBound) continue;
      context.omit('IMP021', joinPointer(pointer, key), `a check of ${key}`, 'The API checks it.');
    }
  }

  return { build, isTooLarge: () => parts > maxParts };
}

const unchecked = [
  ...['multipleOf', 'minProperties', 'maxProperties', 'patternProperties', 'propertyNames', 'not', 'if'],
  ...[
    'exclusiveMinimum',
    'exclusiveMaximum',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
    '$dynamicRef',
  ],
];

const uncheckedInArrays = ['uniqueItems', 'prefixItems', 'contains'];

/** Formats whose values are easily got wrong; others are named in the description. */
const formatPatterns: Readonly<Record<string, string>> = {
  date: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  'date-time': '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([Zz]|[+-]\\d{2}:\\d{2})$',
  uuid: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
};

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.type)) return 'several';
  if (typeof schema.type === 'string') return schema.type;
  if (schema.properties !== undefined || schema.additionalProperties !== undefined || schema.required !== undefined)
    return 'object';
  if (schema.items !== undefined) return 'array';
  if (
    schema.contentMediaType !== undefined ||
    schema.pattern !== undefined ||
    schema.format !== undefined ||
    schema.minLength !== undefined
  )
    return 'string';
  return schema.minimum !== undefined || schema.maximum !== undefined ? 'number' : 'any';
}

/** `object()` takes lists, too, but a record is a level more. */
function anyObject(level: number): Shape {
  return level < maxLevels - 2 ? { type: 'record', items: { ...anything, nullable: true } } : { type: 'object' };
}

/** A list or a map of plain values: as short as the cut would be. */
function isFlat({ items, properties, required, additionalProperties }: JsonObject): boolean {
  const values = items ?? additionalProperties;
  const arePlain = isObject(values) && ['string', 'integer', 'number', 'boolean'].includes(String(values.type));
  return arePlain && properties === undefined && required === undefined;
}

function isNested(schema: JsonObject): boolean {
  return (
    ['object', 'array', 'several'].includes(typeOf(schema)) ||
    Array.isArray(schema.oneOf) ||
    Array.isArray(schema.anyOf)
  );
}

function limits(min: unknown, max: unknown): Pick<Shape, 'min' | 'max' | 'length'> {
  if (typeof min === 'number' && min === max) return { length: min };
  return { ...(typeof min === 'number' && min > 0 && { min }), ...(typeof max === 'number' && { max }) };
}

/** An exclusive bound of a number that is not whole has no equivalent; the bound itself is then allowed. */
function bounds({
  type,
  minimum,
  maximum,
  exclusiveMinimum: above,
  exclusiveMaximum: below,
}: JsonObject): Pick<Shape, 'min' | 'max'> {
  const step = type === 'integer' ? 1 : 0;
  const min = typeof above === 'number' ? Math.floor(above) + step : minimum;
  const max = typeof below === 'number' ? Math.ceil(below) - step : maximum;
  return { ...(typeof min === 'number' && { min }), ...(typeof max === 'number' && { max }) };
}

/** An item that is missing is not there. */
function withoutDefault({ default: _, ...shape }: Shape): Shape {
  return shape;
}

function withoutTexts({ description, title, ...schema }: JsonObject): JsonObject {
  return schema;
}
