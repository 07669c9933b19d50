import { createRequire } from 'node:module';
import type { z as Zod, z } from 'zod';
import type { JsonValue } from '../json.ts';
import { compilePattern } from '../pattern.ts';
import type { Input } from '../tool.ts';
import type { ZExpression } from '../z/z-expression.ts';
import { readInputValue } from './check-value.ts';
import { exposedInputNames } from './exposed-input-names.ts';

/**
 * The Zod 4 schemas of a tool's inputs, as `z.object()` and MCP servers take them: under the names of `exposedInputNames`, as in
 * `inputsJsonSchema`, since they are what clients see. They accept the same values as `createInputCheck`, with three limits of
 * Zod's own: other names of an input are not known to it, an input named `__proto__` is lost in `z.object()`, and one named like
 * a member of every object (`constructor`) is read from the prototype when it is absent.
 */
export function inputsZodShape(inputs: readonly Input[]): Record<string, Zod.ZodType> {
  const exposed = exposedInputNames(inputs);
  return Object.fromEntries(inputs.map((input) => [exposed.get(input.name) ?? input.name, inputZodType(input)]));
}

function inputZodType({ z, description }: Input): Zod.ZodType {
  // Zod reads leniently by the very function that the check uses; what that cannot read, Zod refuses in its own words.
  const lenient = zod().preprocess((value) => readInputValue(z, value) ?? value, strictType(z));
  const type = z.optional ? optionalType(lenient, z.default) : lenient;
  const text = description ?? z.description;
  return text === undefined ? type : type.describe(text);
}

/** `null` counts as absent, as it does for the check. */
function optionalType(type: Zod.ZodType, fallback: JsonValue | undefined): Zod.ZodType {
  const absent = (value: unknown): unknown => value ?? undefined;
  if (fallback === undefined) return zod().preprocess(absent, type.optional());
  return zod()
    .preprocess(
      absent,
      type.default(() => structuredClone(fallback)),
    )
    .meta({ default: fallback });
}

function strictType(z: ZExpression): Zod.ZodType {
  switch (z.primitive) {
    case 'string':
      return withPattern(
        zod()
          .string()
          .check(...lengthsOf(z)),
        z.pattern,
      );
    case 'number':
      return zod()
        .number()
        .check(...(z.integer ? [zod().int()] : []), ...rangeOf(z));
    case 'boolean':
      return zod().boolean();
    case 'enum':
      return enumType(z);
    case 'array':
      return zod()
        .array(zod().unknown())
        .check(...lengthsOf(z))
        .refine(
          (value) => readInputValue(z, value) !== undefined,
          'Invalid input: expected a list that JSON can carry',
        );
    case 'object':
      return zod()
        .unknown()
        .refine(
          (value) => readInputValue(z, value) !== undefined,
          'Invalid input: expected an object or a list that JSON can carry',
        )
        .meta({ type: ['object', 'array'] });
  }
}

function enumType({ members = [] }: ZExpression): Zod.ZodType {
  return members.every((member) => typeof member === 'string') ? zod().enum(members) : zod().string();
}

/** Never Zod's own `regex()`: patterns from schemas run only in `compilePattern`. */
function withPattern(type: Zod.ZodString, pattern: string | undefined): Zod.ZodType {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  if (compiled === undefined || 'problem' in compiled) return type;
  return type.refine((value) => compiled.matches(value), `Invalid input: expected text that matches ${pattern}`);
}

function rangeOf({ min, max }: ZExpression): Zod.core.$ZodCheck<number>[] {
  return [min === undefined ? [] : zod().gte(min), max === undefined ? [] : zod().lte(max)].flat();
}

function lengthsOf({ min, max, length }: ZExpression): Zod.core.$ZodCheck<{ length: number }>[] {
  return [
    min === undefined ? [] : zod().minLength(min),
    max === undefined ? [] : zod().maxLength(max),
    length === undefined ? [] : zod().length(length),
  ].flat();
}

const require = createRequire(import.meta.url);

/**
 * Zod, loaded when it is first needed. It takes as long to load as all the rest of this package, and only programs that put tools
 * on an MCP server of their own, or validate with Zod, need it. Schemas of another copy of Zod 4 work together with these.
 */
export function zod(): typeof z {
  loaded ??= (require('zod') as { z: typeof z }).z;
  return loaded;
}

let loaded: typeof z | undefined;
