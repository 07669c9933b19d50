import type { Finding } from '../format/finding.ts';
import { nearestWord } from '../format/nearest-word.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { resourceRoutes } from './resource-routes.ts';

/** The finding for a name that is none of a tool, a query or a document. `place` says what it was looked for in. */
export function unknownRoute(routeName: unknown, records: readonly SchemaRecord[], place: string): Finding {
  const known = records.flatMap((record) => [
    ...record.schema.tools.keys(),
    ...resourceRoutes(record).map(({ name }) => name),
  ]);
  return {
    code: 'TOOL_UNKNOWN',
    severity: 'error',
    path: 'routeName',
    message: `Route "${String(routeName)}" not found in ${place}`,
    hint: hintFor(routeName, known),
  };
}

function hintFor(routeName: unknown, known: readonly string[]): string {
  const meant = typeof routeName === 'string' ? nearestWord(routeName, known) : undefined;
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.length === 0 ? 'There are no tools, queries or documents.' : `The tools are: ${known.join(', ')}.`;
}
