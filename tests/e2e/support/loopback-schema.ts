import type { LoadedSchema, LoadSchemaOptions } from '@schemakit/core';
import { expect } from 'vitest';
import { faultlessTool, loadText, mainWith, moduleText } from './schema-module.ts';

interface LoopbackSchema {
  /** Origin of the API; takes the place of `main.root`. */
  root: string;
  /** Parts that replace those of one tool without faults, named `getThing`. */
  tool?: Record<string, unknown>;
  /** Further parts of `main`. */
  main?: Record<string, unknown>;
  /** Text of the handlers factory. */
  handlers?: string;
  options?: Partial<LoadSchemaOptions>;
}

/** Loads a schema of one tool, `getThing`, whose API is on loopback; it must load. */
export async function loadLoopbackSchema({
  root,
  tool = {},
  main = {},
  handlers,
  options = {},
}: LoopbackSchema): Promise<LoadedSchema> {
  const text = moduleText(mainWith({ root, tools: { getThing: { ...faultlessTool, ...tool } }, ...main }), handlers);
  const loaded = await loadText(text, options);
  expect(loaded.status, loaded.messages.join('\n')).toBe(true);
  return loaded;
}
