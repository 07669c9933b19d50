import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedSchema } from '@schemakit/core';
import type { Isolation } from '../parameters.ts';
import { importedFrom } from '../sources/imported-from.ts';
import { nearestLockFile } from './nearest-lock-file.ts';
import type { LoadedServing, ServingSource } from './serving-source.ts';

/** Serves schema files and folders. The library is loaded when one of them is. */
export function filesSource(
  paths: readonly string[],
  {
    lock,
    isolation,
    serverParams,
  }: { lock: string | undefined; isolation: Isolation; serverParams: Readonly<Record<string, string>> },
): ServingSource {
  const places = paths.map((path) => resolve(path));
  // To name a folder of a source is not to approve the addresses of its schemas.
  const imported = paths.flatMap((path) => importedFrom(path) ?? []);
  const approveRoot = imported.length === 0;
  const lockFile = lock ?? imported[0]?.lockFile ?? nearestLockFile();
  const offerOf = async (schemas: readonly LoadedSchema[]) => {
    const { exposeSchemaPrompts, exposeSchemas } = await import('@schemakit/core');
    const usable = schemas.filter(({ status }) => status);
    return {
      tools: exposeSchemas(usable, { serverParams }),
      prompts: exposeSchemaPrompts(usable),
      groups: new Map(),
    };
  };
  return {
    name: 'schemakit',
    subject: 'What was named',
    key: JSON.stringify(['files', places, lockFile ?? null, isolation]),
    places: [...places, ...(lockFile === undefined ? [] : [resolve(lockFile)])],
    isKept: places.every((place) => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true),
    defaults: {},
    async load(settle): Promise<LoadedServing> {
      const { loadSchemas } = await import('@schemakit/core');
      const { loadWithLock } = await import('../load-with-lock.ts');
      const { loaded, refused } = await loadWithLock({ paths, lock: lockFile }, (options) =>
        loadSchemas({ paths, approveRoot, isolation, ...options }),
      );
      return { ...(await offerOf(settle(loaded.schemas))), findings: loaded.findings, refused };
    },
    async loadFile(file): Promise<LoadedServing> {
      const { loadSchemas } = await import('@schemakit/core');
      const options = { approveRoot, isolation, ...(lockFile !== undefined && { lockFile }) };
      const { schemas, findings } = await loadSchemas({ paths: [file], ...options });
      return { ...(await offerOf(schemas)), findings, refused: [] };
    },
  };
}
