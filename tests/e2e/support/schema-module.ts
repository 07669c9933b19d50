import { join } from 'node:path';
import { type LoadedSchema, type LoadSchemaOptions, SchemaKit } from '@schemakit/core';
import { temporaryFolder } from './temporary-folder.ts';

interface FaultlessTool {
  method: string;
  path: string;
  description: string;
  parameters: readonly unknown[];
  output: { mimeType: string; schema: { type: string } };
  tests: readonly { _description: string }[];
}

/** A tool with which nothing is wrong: its findings are none. */
export const faultlessTool: FaultlessTool = {
  method: 'GET',
  path: '/thing',
  description: 'One thing',
  parameters: [],
  output: { mimeType: 'application/json', schema: { type: 'object' } },
  tests: [{ _description: 'first' }, { _description: 'second' }, { _description: 'third' }],
};

/** A `main` with which nothing is wrong, with parts of it replaced; a part that is undefined is left out. */
export function mainWith(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    namespace: 'shop',
    name: 'Shop',
    description: 'Things that a shop has',
    version: '3.0.0',
    root: 'https://api.example.com',
    requiredServerParams: [],
    requiredLibraries: [],
    headers: {},
    tools: { getThing: faultlessTool },
    docs: [],
    ...parts,
  };
}

/** A parameter that the caller fills; `z` is the primitive with its options. */
export function parameter(
  key: string,
  location: 'query' | 'insert' | 'body',
  [primitive, ...options]: readonly [string, ...string[]] = ['string()'],
  value: string = '{{USER_PARAM}}',
): Record<string, unknown> {
  return { position: { key, value, location }, z: { primitive, options } };
}

/** The text of a schema file. `handlers` is the text of the factory. */
export function moduleText(main: Record<string, unknown>, handlers?: string): string {
  const text = `export const main = ${JSON.stringify(main, null, 2)};\n`;
  return handlers === undefined ? text : `${text}\nexport const handlers = ${handlers};\n`;
}

/** Writes a schema file and loads it. All of them are of one source, so that their handlers share a host. */
export async function loadText(
  text: string | Uint8Array,
  options: Partial<LoadSchemaOptions> = {},
): Promise<LoadedSchema> {
  const folder = await temporaryFolder({ 'schema.mjs': text });
  return SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs'), source: 'tests', ...options });
}
