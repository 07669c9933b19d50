import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type LoadedSchema, type LoadSchemaOptions, SchemaKit } from '@schemakit/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { faultlessTool, mainWith, moduleText } from '../e2e/support/schema-module.ts';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { sources } from './sources.ts';

const [looping, filling, tenants, secrets, origins] = sources.attacks;

/** A schema whose tool has this hook; what the hook returns is the answer. */
const schemaText = (namespace: string, hook: string, main: Record<string, unknown> = {}): string =>
  moduleText(
    mainWith({
      namespace,
      root: 'local://here',
      tools: { getThing: { ...faultlessTool, output: undefined } },
      ...main,
    }),
    `(() => { let kept = null; return () => ({ getThing: { executeRequest: async ({ struct, userParams }) => {
      struct.data = await (async () => { ${hook} })();
      return { struct };
    } } }); })()`,
  );

const working = `console.log('begun'); for (let i = 0; i < 10; i += 1) await new Promise((resolve) => setTimeout(resolve, 50)); return 'worked';`;
const keeping = `const before = kept; kept = struct.serverParams?.KEY ?? 'of the first'; return before ?? 'nothing';`;

async function load(filePath: string, options: Partial<LoadSchemaOptions> = {}): Promise<LoadedSchema> {
  const schema = await SchemaKit.loadSchema({ filePath, ...options });
  if (!schema.status) throw new Error(schema.messages.join('\n'));
  return schema;
}

async function call(schema: LoadedSchema, rest: { onLog?: () => void } = {}): Promise<unknown> {
  const { data, messages } = await SchemaKit.fetch({
    schema,
    routeName: 'getThing',
    serverParams: { KEY: 'of-the-key' },
    ...rest,
  });
  return data ?? messages.join('\n');
}

describe.each([
  [looping?.name, 'for (;;);'],
  [filling?.name, 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));'],
])('%s', (_, attack) => {
  // The limit of a hook is 30 seconds otherwise, and the loop lasts until then.
  beforeEach(() => void vi.stubEnv('SCHEMAKIT_HANDLER_TIMEOUT_MS', '4000'));
  afterEach(() => void vi.unstubAllEnvs());

  const files = { 'a/attacker.mjs': schemaText('attacker', attack), 'b/worker.mjs': schemaText('worker', working) };

  test('harms who has both in one process', async () => {
    const folder = await temporaryFolder({
      ...files,
      'naive.mjs': `
        const run = async (file) => (await (await import(file)).handlers({}).getThing.executeRequest({ struct: {}, userParams: {} })).struct.data;
        run('./b/worker.mjs').then((data) => process.send(data));
        await run('./a/attacker.mjs');`,
    });
    const child = fork(join(folder, 'naive.mjs'), { stdio: 'ignore', execArgv: ['--max-old-space-size=64'] });
    const answers: unknown[] = [];
    child.on('message', (answer) => answers.push(answer));
    setTimeout(() => child.kill('SIGKILL'), 2000);
    await once(child, 'exit');
    expect(answers).toEqual([]);
  });

  test('the other one is not affected', async () => {
    const folder = await temporaryFolder(files);
    const [attacker, worker] = [await load(join(folder, 'a/attacker.mjs')), await load(join(folder, 'b/worker.mjs'))];
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const onLog = () => {
      runs += 1;
      resolve();
    };
    const answer = call(worker, { onLog });
    await begun;
    const attacked = call(attacker);
    expect(await answer).toBe('worked');
    expect(runs).toBe(1);
    expect(await attacked).not.toBe('worked');
  });
});

describe.each([
  [tenants?.name, { owner: 'one' }, { owner: 'two' }],
  [
    `${tenants?.name}, which has hosts of its own`,
    { owner: 'one', isolation: 'schema' },
    { owner: 'two', isolation: 'schema' },
  ],
  [secrets?.name, { grants: { secrets: ['KEY'] } }, {}],
  [origins?.name, { grants: { network: ['https://other.example.com'] } }, {}],
] as const)('%s', (_, first: Partial<LoadSchemaOptions>, second: Partial<LoadSchemaOptions>) => {
  const text = schemaText('keeper', keeping, {
    requiredServerParams: ['KEY'],
    root: 'https://keeper.example.com',
    headers: { 'X-Key': '{{SERVER_PARAM:KEY}}' },
  });

  test('it is told where both are loaded alike', async () => {
    const filePath = join(await temporaryFolder({ 'keeper.mjs': text }), 'keeper.mjs');
    expect(await call(await load(filePath, first))).toBe('nothing');
    expect(await call(await load(filePath, first))).not.toBe('nothing');
  });

  test('no shared state', async () => {
    const filePath = join(await temporaryFolder({ 'keeper.mjs': text }), 'keeper.mjs');
    expect(await call(await load(filePath, first))).toBe('nothing');
    expect(await call(await load(filePath, second))).toBe('nothing');
    expect(await call(await load(filePath, first))).not.toBe('nothing');
  });
});
