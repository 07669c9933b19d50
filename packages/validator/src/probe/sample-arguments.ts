import { isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { checkOf } from '../json-schema/check.ts';
import { firstValue, type Search } from './sample-value.ts';

/** Schemas come from strangers: what takes more steps than these is not solved. */
const MAX_WORK = 40_000;
/** What is made where nothing valid was found. */
const LAST_WORK = 20_000;
/** How deep values may be nested; first shallow, so that schemas that refer to themselves end soon. */
const DEPTHS = [4, 8, 16];

/** Arguments for a tool. */
export interface Arguments {
  value: PlainObject;
  /** False where none were found that the tool's own schema allows; these then come near. */
  isValid: boolean;
}

/**
 * Arguments that a tool's input schema allows, as few as possible: servers check arguments before they ask for payment. Candidates are made from the
 * schema's keywords, and the first that passes a check against the schema is taken. The same schema gives the same arguments.
 */
export function sampleArguments(inputSchema: PlainObject): Arguments {
  const schema = { type: 'object', allOf: [inputSchema] };
  for (const depth of DEPTHS) {
    const limit = { depth, isCut: false };
    const check = checkOf(inputSchema, { left: MAX_WORK });
    const value = search(schema, { check, depth: 0, limit, isLenient: false });
    if (value !== undefined) return { value, isValid: true };
    if (!limit.isCut) break;
  }
  const value = search(schema, {
    check: checkOf(inputSchema, { left: LAST_WORK }),
    depth: 0,
    limit: { depth: DEPTHS[0] ?? 0, isCut: false },
    isLenient: true,
  });
  return { value: value ?? {}, isValid: false };
}

function search(schema: PlainObject, options: Search): PlainObject | undefined {
  const value = firstValue(schema, options);
  return isPlainObject(value) ? value : undefined;
}
