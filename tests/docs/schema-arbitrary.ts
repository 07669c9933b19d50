import fc from 'fast-check';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Makes values that a JSON Schema file describes. What it says about several fields together is left to a filter. */
export function arbitraryOf(file: JsonObject): fc.Arbitrary<JsonValue> {
  const parts = isObject(file.$defs) ? file.$defs : {};
  return anyOfSchema(file, 0);

  function anyOfSchema(schema: JsonValue | undefined, depth: number): fc.Arbitrary<JsonValue> {
    if (!isObject(schema)) return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
    const examples = Array.isArray(schema.examples) ? schema.examples : [];
    const { examples: _, ...plain } = schema;
    if (examples.length === 0) return made(plain, depth);
    return fc.oneof(fc.constantFrom(...examples), madeOr(plain, depth, examples));
  }

  /** Patterns that look ahead cannot be turned around; examples stand for them. */
  function madeOr(schema: JsonObject, depth: number, examples: readonly JsonValue[]): fc.Arbitrary<JsonValue> {
    return String(schema.pattern).includes('(?') ? fc.constantFrom(...examples) : made(schema, depth);
  }

  function made(schema: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
    if (typeof schema.$ref === 'string') return anyOfSchema(resolved(schema, schema.$ref), depth);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => made({ ...schema, type }, depth)));
    if (Array.isArray(schema.anyOf) && schema.type === undefined) {
      return fc.oneof(...schema.anyOf.map((option) => anyOfSchema(option, depth)));
    }
    switch (schema.type) {
      case 'string':
        return typeof schema.pattern === 'string' ? fc.stringMatching(new RegExp(schema.pattern, 'u')) : fc.string();
      case 'number':
        return fc.integer({ min: -1000, max: 1000 });
      case 'integer':
        return fc.integer({ min: 1, max: 100_000 });
      case 'boolean':
        return fc.boolean();
      case 'array':
        return fc.array(anyOfSchema(schema.items, depth + 1), {
          minLength: Number(schema.minItems ?? 0),
          maxLength: 3,
        });
      case 'object':
        return objectOf(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
    }
  }

  function objectOf(schema: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
    // Deep down only what must be there, so that values end.
    const kept = depth > 7 ? properties.filter(([name]) => required.includes(name)) : properties;
    const fields = fc.record(Object.fromEntries(kept.map(([name, field]) => [name, anyOfSchema(field, depth + 1)])), {
      requiredKeys: required.filter((name) => kept.some(([known]) => known === name)),
    });
    if (schema.additionalProperties === false || depth > 7) return fields as fc.Arbitrary<JsonObject>;
    const names = isObject(schema.propertyNames) ? String(schema.propertyNames.pattern) : '^[a-z][a-zA-Z0-9]*$';
    const others = fc.dictionary(
      fc.stringMatching(new RegExp(names)),
      anyOfSchema(schema.additionalProperties, depth + 1),
      {
        maxKeys: 2,
        noNullPrototype: true,
      },
    );
    return fc.tuple(others, fields).map(([other, known]) => ({ ...other, ...known }) as JsonObject);
  }

  function resolved({ $ref: _, ...beside }: JsonObject, reference: string): JsonObject {
    const part = parts[reference.replace('#/$defs/', '')];
    const plain = isObject(part) ? part : {};
    const required = [plain.required, beside.required].flatMap((names) => (Array.isArray(names) ? names : []));
    return { ...plain, ...beside, ...(required.length > 0 && { required }) } as JsonObject;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
