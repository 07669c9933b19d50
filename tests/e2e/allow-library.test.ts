import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliProject, shopSchema } from './support/cli-project.ts';

const handlers = `
export const handlers = ({ libraries }) => ({ getThing: {
  executeRequest: async ({ struct }) => ({ struct: { ...struct, data: libraries.words } }),
} });`;

function shop() {
  return cliProject({
    'project/shop.mjs': `${shopSchema(['getThing'], { requiredLibraries: ['words'] })}${handlers}`,
    'project/node_modules/words/package.json': '{ "name": "words", "version": "1.2.0", "main": "words.js" }',
    'project/node_modules/words/words.js': 'module.exports = ["tide"];',
  });
}

const call = ['call', 'shop.mjs::tool::getThing'] as const;

test('a library is allowed once, with its files as they are', async () => {
  const project = await shop();
  expect(project.run(...call).json).toMatchObject({ status: false });
  const allowed = project.run(...call, '--allow-library', 'words');
  expect(allowed.json).toMatchObject({ status: true, content: ['tide'] });
  expect(allowed.stderr).toContain('Allowed words 1.2.0 for the handlers of all schemas.');
  expect(project.json('home/config.json').security).toEqual({
    allowedLibraries: [{ name: 'words', version: '1.2.0', integrity: expect.stringMatching(/^sha256-/) }],
  });
  expect(project.run(...call).json).toMatchObject({ status: true, content: ['tide'] });
  writeFileSync(join(project.folder, 'node_modules/words/words.js'), 'module.exports = ["flood"];');
  expect(JSON.stringify(project.run(...call).json)).toContain(`Library 'words' is not the one that was allowed`);
  expect(project.run('--allow-library=words', ...call).json).toMatchObject({ content: ['flood'] });
});

test('what is not installed, a module of Node.js and a project in agent mode are refused', async () => {
  const project = await shop();
  const refused = (name: string) => project.run(...call, '--allow-library', name).json;
  expect(refused('floods')).toMatchObject({
    error: 'The library floods is not installed.',
    fix: 'Run: npm install floods',
  });
  for (const name of ['fs', 'node:fs']) {
    const fix = expect.not.stringContaining('npm install');
    expect(refused(name)).toMatchObject({ error: `${name} is a module of Node.js, which cannot be allowed.`, fix });
  }
  project.run('mode', 'agent');
  expect(project.run(...call, '--allow-library', 'words').json.error).toContain('only available in dev mode');
  expect(project.has('home/config.json')).toBe(false);
});
