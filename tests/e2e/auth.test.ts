import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { client, startIssuer, startProtectedApi } from '../../packages/core/src/call/fixtures/token-issuer.ts';
import { cliProject, shopSchema } from './support/cli-project.ts';

const auth = (tokenUrl: string) => ({
  ...{ type: 'oauth2', flow: 'clientCredentials', tokenUrl },
  ...{ clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' },
});

async function protectedShop() {
  const issuer = await startIssuer();
  const root = await startProtectedApi((token) => token === issuer.issued);
  const main = { root, requiredServerParams: Object.keys(client), auth: auth(issuer.tokenUrl) };
  const project = await cliProject({ 'project/shop.mjs': shopSchema(['getThing'], main) }, client);
  return { issuer, root, project };
}

/** Whatever the command wrote, as one text. */
const all = (run: object) => JSON.stringify(run);

test('client credentials: the command calls, and shows neither the secret nor the token', async () => {
  const { issuer, root, project } = await protectedShop();
  const called = await project.start('call', 'shop.mjs::tool::getThing', '--verbose');
  expect(called.json).toMatchObject({ status: true, content: { authorization: 'Bearer [REDACTED]' } });
  expect(called.stderr).toContain(`> POST ${issuer.tokenUrl}`);
  const curl = project.run('call', 'shop.mjs::tool::getThing', '--curl');
  expect(curl.json.curl).toContain(`'Authorization: Bearer '"$ACCESS_TOKEN"`);
  const described = project.run('describe', 'shop.mjs::tool::getThing');
  // To the root goes the token that is made with them.
  const origins = [root, new URL(issuer.tokenUrl).origin];
  expect(described.json.secrets).toEqual(
    origins.flatMap((origin) => Object.keys(client).map((name) => ({ name, origin, granted: true }))),
  );
  expect(issuer.asked).toBe(1);
  for (const run of [called, curl, described]) {
    expect(all(run)).not.toContain(client.CLIENT_SECRET);
    expect(all(run)).not.toContain(issuer.issued);
  }
});

test('a recording has no token, and its replay asks for none', async () => {
  const { issuer, project } = await protectedShop();
  const recorded = await project.start('test', 'single', 'shop.mjs', '--record', 'recordings');
  expect(recorded).toMatchObject({ status: 0 });
  const folder = join(project.folder, 'recordings');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) {
    expect(text).toContain('"authorization": "[REDACTED]"');
    expect(text).not.toContain(issuer.issued);
    expect(text).not.toContain(issuer.tokenUrl);
  }
  expect(await project.start('test', 'single', 'shop.mjs', '--replay', 'recordings')).toMatchObject({ status: 0 });
  expect(issuer.asked).toBe(1);
});
