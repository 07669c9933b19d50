import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  createToolResolver,
  exposeSchemas,
  hashForms,
  hashSchema,
  parseReference,
  SchemaKit,
  toolNames,
} from '@schemakit/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { startUpstream } from '../e2e/support/upstream.ts';
import { hostileKeys, hostileValues, isComparable } from './hostile-values.ts';
import { type Mutation, mutate, mutations } from './mutations.ts';
import { catalogText, fullSchema, looseSchema } from './seed-schemas.ts';
import { expectPlaces, expectSound, inherited, inTime } from './soundness.ts';

// More are worth while after a change of the rules: FUZZ_RUNS=20000 npx vitest run tests/fuzz
const numRuns = Number(process.env.FUZZ_RUNS ?? 400);
const timeout = 180_000 + numRuns * 100;

/** The same arguments for every tool, as a caller of the valid schemas would give them. */
const userParams = { id: 'a1', part: 'price', name: 'abc', kind: '1', undeclared: 'x' };
const serverParams = { API_KEY: 'k3y-of-the-fuzz' };

type Seed = () => Record<string, unknown>;

function seeds(root: string): readonly Seed[] {
  return [() => fullSchema(root), () => looseSchema(root)];
}

/** Two equal documents from one recipe, since a document that throws when it is read cannot be copied. */
function mutated(seed: Seed, steps: readonly Mutation[]): { main: Record<string, unknown>; twin: object | undefined } {
  const isReadable = steps.every((step) => !('value' in step) || isComparable(step.value));
  return { main: mutate(seed(), steps), twin: isReadable ? mutate(seed(), steps) : undefined };
}

function namesOfTools(main: Record<string, unknown>): readonly string[] {
  try {
    return [...Object.keys(Object(main.tools ?? main.routes)).slice(0, 5), 'getThing', '__proto__', 'constructor'];
  } catch {
    return ['getThing'];
  }
}

async function callEverything(main: Record<string, unknown>): Promise<void> {
  const checked = await inTime('validateMain', () => SchemaKit.validateMain({ main }));
  expectPlaces(expectSound('validateMain', checked), main);
  const schema = await inTime('validateSchema', () => SchemaKit.validateSchema({ schema: main }));
  expectPlaces(expectSound('validateSchema', schema), main);
  for (const routeName of namesOfTools(main)) {
    const prepared = await inTime('prepareServerTool', () => {
      const tool = SchemaKit.prepareServerTool({ schema: main, serverParams, routeName });
      expect(tool.zod).toBeTypeOf('object');
      return tool;
    });
    expectSound('prepareServerTool', prepared);
    const fetched = await inTime('fetch', () => SchemaKit.fetch({ main, userParams, serverParams, routeName }));
    const found = expectSound('fetch', fetched);
    expect(found.filter(({ code }) => code === 'INTERNAL')).toEqual([]);
  }
  for (const { listing } of await inTime('exposeSchemas', () => exposeSchemas([main]))) {
    expect(listing.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  }
  await inTime('hashSchema', () => hashSchema(main));
  await inTime('hashForms', () => hashForms({ tool: { main, name: 'getThing' } }));
  const arrayOfSchemas = [main, fullSchema('http://127.0.0.1:1')];
  for (const tag of ['shop', 'shop.getThing', 'shop.!getThing', '__proto__.constructor']) {
    const options = { arrayOfSchemas, activateTags: [tag] };
    expectSound('filter', await inTime('filter', () => SchemaKit.filterArrayOfSchemas(options)));
  }
}

describe('a main with faults of any kind', () => {
  test(
    'is checked, prepared, called and hashed without a throw, in time, and without being changed',
    async () => {
      const { origin } = await startUpstream(() => ({ body: { name: 'x', sizes: [1, null] } }));
      const before = inherited();
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...seeds(origin)), mutations(), async (seed, steps) => {
          const { main, twin } = mutated(seed, steps);
          await callEverything(main);
          if (twin !== undefined) expect(isDeepStrictEqual(main, twin)).toBe(true);
        }),
        { numRuns },
      );
      expect(inherited()).toEqual(before);
    },
    timeout,
  );

  test('is any value at all', async () => {
    const values = Object.keys(hostileValues);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...values), async (name) => {
        const main = hostileValues[name]?.() as Record<string, unknown>;
        expectSound('validateMain', SchemaKit.validateMain({ main }));
        expectSound('validateSchema', SchemaKit.validateSchema({ schema: main }));
        expectSound('prepareServerTool', SchemaKit.prepareServerTool({ schema: main, routeName: 'getThing' }));
        expectSound('fetch', await SchemaKit.fetch({ main, routeName: 'getThing' }));
        expectSound('filter', SchemaKit.filterArrayOfSchemas({ arrayOfSchemas: [main] }));
        hashSchema(main);
      }),
      { numRuns: values.length * 2 },
    );
  });

  test(
    'that was loaded and changed afterwards',
    async () => {
      const { origin } = await startUpstream(() => ({ body: { name: 'x' } }));
      const texts = ['demo/garden.mjs', 'etcd/etcd.mjs', 'prometheus/prometheus.mjs'];
      const folder = await temporaryFolder(Object.fromEntries(texts.map((file) => [file, catalogText(file, origin)])));
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...texts), mutations(), async (file, steps) => {
          const loaded = await SchemaKit.loadSchema({ filePath: join(folder, file) });
          expect(loaded.messages.join()).not.toContain('VAL');
          expect(loaded.status).toBe(true);
          const main = mutate(loaded.main ?? {}, steps);
          await callEverything(main);
          expectSound(
            'fetch',
            await SchemaKit.fetch({ schema: loaded, userParams, routeName: namesOfTools(main)[0] ?? '' }),
          );
        }),
        { numRuns: Math.ceil(numRuns / 4) },
      );
    },
    timeout,
  );
});

describe('names of any kind', () => {
  test('tools keep apart, and their references lead back to them', () => {
    const name = fc.oneof(fc.constantFrom(...hostileKeys), fc.string(), fc.constantFrom('getThing', 'get_thing'));
    const namespace = fc.oneof(fc.constantFrom('shop', 'Shop', ...hostileKeys), fc.string());
    const places = fc.array(fc.record({ namespace, toolName: name }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(places, fc.string(), (tools, text) => {
        const resolve = createToolResolver(tools);
        for (const reference of [text, ...tools.map((tool) => toolNames(tool).mcp)])
          expectSound('resolve', resolve(reference));
        expectSound('parse', parseReference(text));
      }),
    );
  });
});

describe('answers of any kind', () => {
  test('give an output schema, or say why not', () => {
    const response = fc.oneof(fc.json(), fc.string(), fc.anything(), fc.constantFrom(...hostileKeys));
    const mimeType = fc.constantFrom('application/json', 'text/plain', 'image/png', 'x', '', '__proto__');
    fc.assert(
      fc.property(response, mimeType, (value, type) => {
        const generated = SchemaKit.generateOutputSchema({ response: value as string, mimeType: type });
        expectSound('generateOutputSchema', generated);
      }),
    );
    for (const value of Object.values(hostileValues)) {
      const response = value() as string;
      expectSound('generateOutputSchema', SchemaKit.generateOutputSchema({ response, mimeType: 'application/json' }));
    }
  });
});
