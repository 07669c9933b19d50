import { isObject, type JsonObject, type JsonValue } from '../json.ts';

/**
 * Puts what answers showed into an output block that may be there already. What an author wrote stays: the media type,
 * descriptions, fields that did not come this time. Types become those that were seen. Doing it twice changes nothing.
 *
 * @param seen - What `generateOutputSchema` gives.
 */
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

/** The type that stays written, or the one that takes its place. */
function mergedType(written: JsonObject, seen: JsonObject): JsonValue | undefined {
  // Alternatives that an author wrote say more than one type does.
  if (written.type === undefined) return written.oneOf === undefined ? seen.type : undefined;
  // Where null was seen and nothing else, the type that was inferred is a guess.
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
