import { fileURLToPath } from 'node:url';
import type { CallToolResult, JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect } from 'vitest';
import type { SchemakitClient } from './schemakit-client.ts';

/** What these tests read of a schema's `main`. */
interface Main {
  namespace: string;
  tools: Record<string, { output: { schema: JsonSchemaType }; tests: (object & { _description: string })[] }>;
}

/** One of the schema's own tests. */
interface CatalogCase {
  tool: string;
  about: string;
  args: Record<string, unknown>;
}

/** A schema of the catalog: its file, the names that its tools have over MCP, and its own tests in order. */
export interface CatalogSchema {
  file: string;
  namespace: string;
  toolNames: string[];
  cases: CatalogCase[];
  /** Calls a tool and checks that it answers what its `output` declares. */
  call(server: SchemakitClient, tool: string, args?: Record<string, unknown>): Promise<CallToolResult>;
}

const validator = new AjvJsonSchemaValidator();

/** Reads a schema of the catalog, such as `etcd/etcd.mjs`. */
export async function readCatalogSchema(path: string): Promise<CatalogSchema> {
  const url = new URL(`../../../catalog/${path}`, import.meta.url);
  const { main } = (await import(url.href)) as { main: Main };
  return {
    file: fileURLToPath(url),
    namespace: main.namespace,
    toolNames: Object.keys(main.tools).map((tool) => `${main.namespace}__${tool}`),
    cases: Object.entries(main.tools).flatMap(([tool, { tests }]) =>
      tests.map(({ _description: about, ...args }) => ({ tool, about, args })),
    ),
    call: async ({ client }, tool, args = {}) => {
      const result = await client.callTool({ name: `${main.namespace}__${tool}`, arguments: args });
      expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
      const [content] = result.content;
      expect(content?.type).toBe('text');
      expect(JSON.parse(content?.type === 'text' ? content.text : '')).toEqual(result.structuredContent);
      const declared = main.tools[tool]?.output.schema ?? {};
      expect(validator.getValidator(declared)(result.structuredContent)).toMatchObject({ valid: true });
      return result;
    },
  };
}
