import { isObject } from '@schemakit/core/internal';
import type { ImportContext } from './import-context.ts';

/** The examples of a parameter, a media type or a schema, with what they are called. */
export interface NamedExample {
  value: unknown;
  summary?: string;
}

/** Reads `example` and `examples`: a map of Example Objects, or a list of values in a schema. */
export function readExamples(holder: unknown, context: ImportContext): NamedExample[] {
  if (!isObject(holder)) return [];
  const { example, examples } = holder;
  const single = example === undefined ? [] : [{ value: example }];
  if (Array.isArray(examples)) return [...single, ...examples.map((value) => ({ value }))];
  if (!isObject(examples)) return single;
  const named = Object.entries(examples).flatMap(([name, given]): NamedExample[] => {
    if (isObject(given) && typeof given.$ref === 'string' && !given.$ref.startsWith('#/')) return [];
    const { value: found } = context.resolve({ value: given, pointer: '' });
    if (!isObject(found)) return [];
    // `dataValue` is the name in OpenAPI 3.2.
    const value = found.value ?? found.dataValue;
    const summary = typeof found.summary === 'string' ? found.summary : name;
    return value === undefined ? [] : [{ value, summary }];
  });
  return [...single, ...named];
}
