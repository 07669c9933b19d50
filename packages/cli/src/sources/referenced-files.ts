import { posix } from 'node:path';
import { isRecord } from '../settings/read-json.ts';
import { pathProblem } from './path-problem.ts';

/**
 * The files that a schema refers to: skills, prompts, and databases and documents beside it. Paths are below the folder of the
 * source; what leads elsewhere is left out, and the schema's own check speaks of it.
 *
 * @param path - Of the schema, below the folder of the source.
 */
export function referencedFiles(main: Readonly<Record<string, unknown>>, path: string): string[] {
  const found = [
    ...fieldsIn(main.skills).map(({ file }) => [file]),
    ...fieldsIn(main.prompts).map(({ contentFile }) => [contentFile]),
    ...fieldsIn(main.resources).map(resourceFiles),
  ].flat();
  const paths = found.flatMap((name) => (typeof name === 'string' ? below(path, name) : []));
  return [...new Set(paths)];
}

function fieldsIn(value: unknown): Record<string, unknown>[] {
  const items = Array.isArray(value) ? value : Object.values(isRecord(value) ? value : {});
  return items.filter(isRecord);
}

/** The places beside a schema where a resource is looked for; see the documentation of resources. */
function resourceFiles({ source, origin, database, name }: Record<string, unknown>): string[] {
  const file = typeof database === 'string' ? database : name;
  if (source === 'http' || typeof file !== 'string' || origin === 'project' || origin === 'global') return [];
  return origin === 'inline' ? [`resources/${file}`, `data/${file}`, file] : [file];
}

function below(schema: string, name: string): string[] {
  const text = name.trim();
  if (/^([\\/~]|[a-z]:)/i.test(text) || text.split(/[\\/]/).includes('..')) return [];
  const path = posix.join(posix.dirname(schema), text);
  return pathProblem(path) === undefined && /\.(mjs|db|sqlite3?|md|markdown|txt)$/i.test(path) ? [path] : [];
}
