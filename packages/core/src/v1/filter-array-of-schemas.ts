import { type FilterSchemasOptions, filterSchemas } from '../format/filter-schemas.ts';
import { throwValidation } from './adapted-schema.ts';

/** Codes of entries in `activateTags` that no schema has, which format 1 threw in words of their own. */
const tagCodes: readonly string[] = ['FLT004', 'FLT005', 'FLT006', 'FLT007'];

/**
 * Filters schemas by namespace, tag and route, as `filterSchemas` does.
 *
 * @throws Error for bad arguments, and for tags, namespaces and routes in `activateTags` that no schema has.
 */
export function filterArrayOfSchemas<T>(options: Omit<FilterSchemasOptions<T>, 'onReduced'>): {
  filteredArrayOfSchemas: T[];
} {
  const { findings, filteredArrayOfSchemas } = filterSchemas(options);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const messages = errors.map(({ message }) => message);
  if (errors.length === 0) return { filteredArrayOfSchemas };
  if (!errors.every(({ code }) => tagCodes.includes(code))) return throwValidation(messages);
  throw new Error(`Invalid activateTags found:\n- ${messages.join('\n- ')}`);
}
