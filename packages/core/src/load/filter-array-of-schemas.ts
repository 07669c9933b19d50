import { checkResult } from '../format/check-result.ts';
import {
  type FilteredSchemas,
  type FilterSchemasOptions,
  filterFinding,
  filterSchemas,
} from '../format/filter-schemas.ts';
import { isObject } from '../format/json.ts';
import { findOriginalRecord, findRecord, keepRecord } from './schema-record.ts';

/** Filters schemas; what is left of one keeps what was loaded with it: its handlers, lists and grants. */
export function filterArrayOfSchemas<T>(options: FilterSchemasOptions<T>): FilteredSchemas<T> {
  try {
    return filterSchemas({ ...options, onReduced: keepReduced });
  } catch (error) {
    // A program's own object may have getters or be a proxy that throws.
    const reason = error instanceof Error ? error.message : String(error);
    const finding = filterFinding('FLT002', 'arrayOfSchemas', `arrayOfSchemas cannot be read: ${reason}`);
    return { ...checkResult([finding]), filteredArrayOfSchemas: [] };
  }
}

function keepReduced(reduced: Record<string, unknown>, original: Record<string, unknown>): void {
  const found = findRecord(original);
  const record = typeof found === 'object' ? found : findOriginalRecord(original);
  const left = reduced.tools ?? reduced.routes;
  if (record === undefined || !isObject(left)) return;
  const tools = new Map([...record.schema.tools].filter(([name]) => Object.hasOwn(left, name)));
  const handlerKeys = record.handlerKeys ?? [...record.schema.tools.keys()];
  keepRecord(reduced, { ...record, handlerKeys, schema: { ...record.schema, tools } });
}
