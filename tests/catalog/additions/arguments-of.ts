import { exposeSchemas, type LoadedSchema } from '@schemakit/core';
import fc from 'fast-check';

interface Node {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  additionalProperties?: Node | boolean;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  contentEncoding?: string;
}

/** Arguments that the input schema of a tool accepts, except that texts may miss a pattern. */
export function argumentsOf(schema: LoadedSchema, toolName: string): fc.Arbitrary<Record<string, unknown>> {
  const tool = exposeSchemas([schema]).find((each) => each.toolName === toolName && each.resource === undefined);
  const tests = Object(Object(schema.main).tools?.[toolName]).tests;
  const written = (Array.isArray(tests) ? tests : []).map(({ _description, _expect, ...args }) => args);
  const made = madeValue(tool?.listing.inputSchema as Node) as fc.Arbitrary<Record<string, unknown>>;
  return written.length === 0 ? made : fc.oneof(fc.constantFrom(...written), made);
}

const texts = fc.constantFrom('a', 'ab c', '2026-01-31', 'x&y=1', 'ü€', 'a/b', 'a,b', '7', 'ABC', '+%', 'de');

function madeValue(node: Node): fc.Arbitrary<unknown> {
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.anyOf) return fc.oneof(...node.anyOf.map(madeValue));
  const type = typeof node.type === 'string' ? node.type : node.type?.[0];
  switch (type) {
    case 'object': {
      const { properties = {}, required = [], additionalProperties } = node;
      const members = Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, madeValue(value)]));
      if (Object.keys(members).length > 0) return fc.record(members, { requiredKeys: required });
      const values = typeof additionalProperties === 'object' ? madeValue(additionalProperties) : texts;
      return fc.dictionary(fc.constantFrom('one', 'two', 'three'), values, { minKeys: 1 });
    }
    case 'array':
      return fc.array(
        madeValue(node.items?.type || node.items?.enum || node.items?.anyOf ? node.items : { type: 'string' }),
        {
          minLength: Math.max(node.minItems ?? 0, 1),
          maxLength: Math.max(node.minItems ?? 0, 3),
        },
      );
    case 'integer':
      return fc.integer({ min: node.minimum ?? -5, max: node.maximum ?? (node.minimum ?? 0) + 1000 });
    case 'number':
      return fc.integer({
        min: Math.ceil(node.minimum ?? -5),
        max: Math.floor(node.maximum ?? (node.minimum ?? 0) + 1000),
      });
    case 'boolean':
      return fc.boolean();
    default: {
      if (node.contentEncoding === 'base64') return fc.constant('data:image/png;name=x.png;base64,aGVsbG8=');
      const { minLength = 0, maxLength = 1000 } = node;
      return texts.map((text) => text.padEnd(minLength, 'x').slice(0, maxLength));
    }
  }
}
