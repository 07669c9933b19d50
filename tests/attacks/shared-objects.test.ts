import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test, vi } from 'vitest';
import { mainWith, moduleText } from '../e2e/support/schema-module.ts';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { sharedObjects } from './shared-objects.ts';
import { crawlingHook } from './support/crawl.ts';

const mark = `(object) => Object.isExtensible(object) && Reflect.defineProperty(object, 'marked', { value: 'by another', configurable: true })`;
const look = `(object) => Reflect.getOwnPropertyDescriptor(object, 'marked')?.value === 'by another'`;
const libraries = ['crypto', 'zlib', 'util', 'path', 'querystring', 'url'];

const schemaText = (namespace: string, visit: string): string =>
  moduleText(
    mainWith({ namespace, requiredLibraries: libraries }),
    `({ libraries }) => ({ getThing: { executeRequest: async (context) => ({ response: await (async () => { ${crawlingHook(visit)} })() }) } })`,
  );

const files = {
  'marker.mjs': schemaText('marker', mark),
  'looker.mjs': schemaText('looker', look),
  'naive.mjs': `
    process.on('unhandledRejection', () => undefined);
    const libraries = {};
    for (const name of ${JSON.stringify(libraries)}) libraries[name] = (await import(name)).default;
    const call = async (file) => (await import(file)).handlers({ libraries }).getThing.executeRequest({});
    await call('./marker.mjs');
    process.send((await call('./looker.mjs')).response.length);`,
};

const [{ name, broken } = { name: '', broken: undefined }] = sharedObjects.attacks;

describe(name, () => {
  test('finds many without protection', async () => {
    const folder = await temporaryFolder(files);
    const child = fork(join(folder, 'naive.mjs'), { stdio: 'ignore' });
    const [count] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    child.kill('SIGKILL');
    expect(count).toBeGreaterThan(100);
  });

  const findMarks = async (): Promise<unknown> => {
    vi.stubEnv('SCHEMAKIT_HANDLER_HOSTS', '1');
    const folder = await temporaryFolder(files);
    const call = async (file: string): Promise<readonly unknown[]> => {
      const { main, messages } = await SchemaKit.loadSchema({ filePath: join(folder, file), scan: 'report' });
      const { data, messages: problems } = await SchemaKit.fetch({ main, routeName: 'getThing' });
      if (!Array.isArray(data)) throw new Error([...messages, ...problems].join('\n'));
      return data;
    };
    // Both find what is theirs alone.
    expect((await call('marker.mjs')).length).toBeGreaterThan(100);
    return call('looker.mjs');
  };

  if (broken === undefined) test('finds none', async () => expect(await findMarks()).toEqual([]));
  // Red as soon as none are found.
  else test.fails(`does not hold, ${broken}`, async () => expect(await findMarks().catch(() => [])).toEqual([]));
});
