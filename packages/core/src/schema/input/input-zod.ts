import { createRequire } from 'node:module';
import type { z as Zod } from 'zod';
import type { JsonValue } from '../json.ts';
import { compilePattern } from '../pattern.ts';
import type { Input } from '../schema.ts';
import { partsOf, type ZExpression } from '../z/z-expression.ts';
import { checkValue, coerceInput } from './check-value.ts';
import { describeExpected } from './describe-input.ts';
import { exposedInputNames } from './exposed-input-names.ts';

/**
 * The Zod 4 schemas of a tool's inputs, for `z.object()` and MCP servers, under the names of `exposedInputNames`, as in
 * `inputsJsonSchema`. They accept the same values as `createInputCheck`, with three limits of Zod: aliases of an input are
 * unknown, an input named `__proto__` is lost in `z.object()`, and one named like a member of every object (`constructor`) is
 * read from the prototype if it is missing.
 */
export function inputsZodShape(inputs: readonly Input[]): Record<string, Zod.ZodType> {
  const exposed = exposedInputNames(inputs);
  return Object.fromEntries(inputs.map((input) => [exposed.get(input.name) ?? input.name, inputZodType(input)]));
}

function inputZodType({ z, description }: Input): Zod.ZodType {
  const lib = zod();
  // Values are converted as in `createInputCheck`; Zod refuses the others with its own messages.
  const convert =
    partsOf(z).length > 0 ? (value: unknown) => checkValue(z, value).value : (value: unknown) => coerceInput(z, value);
  const lenient = lib.preprocess((value) => convert(value) ?? value, strictType(z, lib));
  const type = z.optional ? optionalType(lenient, z.default) : lenient;
  const text = description ?? z.description;
  return text === undefined ? type : type.describe(text);
}

/** `null` counts as missing, as in `createInputCheck`. */
function optionalType(type: Zod.ZodType, fallback: JsonValue | undefined): Zod.ZodType {
  const inner = fallback === undefined ? type.optional() : type.default(() => structuredClone(fallback));
  const optional = zod().preprocess((value) => value ?? undefined, inner);
  return fallback === undefined ? optional : optional.meta({ default: fallback });
}

function strictType(z: ZExpression, lib: typeof Zod): Zod.ZodType {
  const { min, max, length, members = [] } = z;
  const lengths = [
    min === undefined ? [] : lib.minLength(min),
    max === undefined ? [] : lib.maxLength(max),
    length === undefined ? [] : lib.length(length),
  ].flat();
  const isJson = (value: unknown): boolean => coerceInput(z, value) !== undefined;
  switch (z.primitive) {
    case 'string':
      return withPattern(lib.string().check(...lengths), z.pattern);
    case 'number': {
      const range = [min === undefined ? [] : lib.gte(min), max === undefined ? [] : lib.lte(max)].flat();
      const number = lib.number().check(...range);
      // `int()` of Zod refuses integers above 2^53, which JSON Schema and the check allow.
      if (!z.integer) return number;
      return number.refine(Number.isInteger, 'Invalid input: expected a whole number').meta({ type: 'integer' });
    }
    case 'boolean':
      return lib.boolean();
    case 'enum':
      return members.every((member) => typeof member === 'string') ? lib.enum(members) : lib.string();
    case 'array': {
      const list = lib.array(z.items ? partType(z.items, lib) : lib.unknown()).check(...lengths);
      return list.refine(isJson, 'Invalid input: expected a list that JSON can carry');
    }
    case 'record': {
      const fits = (value: object): boolean => {
        const size = Object.keys(value).length;
        return size >= (min ?? 0) && size <= (max ?? Infinity);
      };
      const record = lib.record(lib.string(), z.values ? partType(z.values, lib) : lib.unknown());
      return record.refine(fits, `Invalid input: expected ${describeExpected(z)}`).meta({
        ...(min !== undefined && { minProperties: min }),
        ...(max !== undefined && { maxProperties: max }),
      });
    }
    case 'union':
      return lib.union((z.variants ?? []).map((variant) => partType(variant, lib)));
    case 'file': {
      const isFile = (value: string): boolean => checkValue(z, value).faults.length === 0;
      return lib
        .string()
        .refine(isFile, `Invalid input: expected ${describeExpected(z)}`)
        .meta({ contentEncoding: 'base64' });
    }
    case 'object': {
      if (z.properties !== undefined) {
        const members = Object.entries(z.properties).map(([name, part]) => [name, memberType(part, lib)]);
        return lib.strictObject(Object.fromEntries(members));
      }
      const any = lib.unknown().refine(isJson, 'Invalid input: expected an object or a list that JSON can carry');
      return any.meta({ type: ['object', 'array'] });
    }
  }
}

/** A part of a shape, whose values are converted already. */
function partType(z: ZExpression, lib: typeof Zod): Zod.ZodType {
  const strict = strictType(z, lib);
  const type = z.nullable ? strict.nullable() : strict;
  return z.description === undefined ? type : type.describe(z.description);
}

/** Only a member of an object can be left out, not an item or a variant. */
function memberType(z: ZExpression, lib: typeof Zod): Zod.ZodType {
  const type = partType(z, lib);
  const optional = z.default === undefined ? type.optional() : type.default(z.default);
  if (!z.optional) return type;
  return z.description === undefined ? optional : optional.describe(z.description);
}

/** Not with `regex()` of Zod: patterns from schemas run only in `compilePattern`. */
function withPattern(type: Zod.ZodString, pattern: string | undefined): Zod.ZodType {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  if (compiled === undefined || 'problem' in compiled) return type;
  return type.refine((value) => compiled.matches(value), `Invalid input: expected text that matches ${pattern}`);
}

const require = createRequire(import.meta.url);

/** Zod, loaded on first use: it takes as long to load as the rest of this package. Works with the schemas of another copy of Zod 4. */
export function zod(): typeof Zod {
  loaded ??= (require('zod') as { z: typeof Zod }).z;
  return loaded;
}

let loaded: typeof Zod | undefined;
