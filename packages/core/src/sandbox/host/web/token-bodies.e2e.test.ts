import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEchoApi } from '../../../schema/legacy/fixtures/echo-api.ts';
import { SchemaKit } from '../../../schemakit.ts';

const KEY = 'k3y-of-the-cellar';

/** The request at the API of a schema whose handler sends this body. */
async function send(body: string): Promise<string> {
  const api = await startEchoApi();
  const folder = await mkdtemp(join(tmpdir(), 'token-bodies-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const filePath = join(folder, 'vault.mjs');
  await writeFile(
    filePath,
    `export const main = {
      namespace: 'vault', name: 'Vault', description: 'Things in a vault', version: '3.0.0', root: '${api.origin}',
      requiredServerParams: ['KEY'], requiredLibraries: [], headers: {},
      tools: { send: { method: 'POST', path: '/', description: 'Send', parameters: [] } },
    };
    export const handlers = () => ({ send: { executeRequest: async ({ struct, payload }) => {
      const { KEY } = payload.serverParams;
      await fetch('${api.origin}/', { method: 'POST', body: ${body} });
      return { struct: { ...struct, data: {} } };
    } } });`,
  );
  const schema = await SchemaKit.loadSchema({ filePath, source: 'tests' });
  const { status, messages } = await SchemaKit.fetch({ schema, routeName: 'send', serverParams: { KEY } });
  expect(status, messages.join()).toBe(true);
  return api.arrived[0]?.body ?? '';
}

describe('the value of a secret replaces its token in', () => {
  test.each([
    [
      'a form',
      `(() => { const form = new FormData(); form.set('key', KEY); form.set('city', 'Köln'); return form; })()`,
    ],
    ['encoded text', `new TextEncoder().encode('Köln key=' + KEY)`],
    ['a blob', `new Blob(['Köln ', KEY])`],
    ['a buffer', `Buffer.from('Köln ' + KEY)`],
  ])('%s', async (_, body) => {
    const arrived = await send(body);
    expect(arrived).toContain(KEY);
    expect(arrived).toContain('Köln');
    expect(arrived).not.toContain('schemakit-');
  });
});

test('a token among bytes that are not text is refused, and nothing is sent', async () => {
  await expect(send(`new Blob([Uint8Array.of(255), KEY])`)).rejects.toThrow('sees only a token');
});
