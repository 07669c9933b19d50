import { globSync } from 'node:fs';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import * as agents from '@schemakit/agent-server';
import * as a2a from '@schemakit/agent-server/a2a';
import * as payment from '@schemakit/agent-server/payment';
import * as testing from '@schemakit/agent-server/testing';
import * as core from '@schemakit/core';
import * as lock from '@schemakit/core/lock';
import * as importer from '@schemakit/import';
import * as server from '@schemakit/server';
import * as catalog from '@schemakit/server/catalog';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks, projectFolder, readPage } from './markdown.ts';
import { openPageFolder, type PageFolder } from './page-folder.ts';

/** The doors whose functions have an example each, and the packages that examples may use without importing them. */
const doors: Readonly<Record<string, object>> = {
  '@schemakit/core': core,
  '@schemakit/core/lock': lock,
  '@schemakit/import': importer,
  '@schemakit/server': server,
  '@schemakit/server/catalog': catalog,
  '@schemakit/agent-server': agents,
  '@schemakit/agent-server/a2a': a2a,
  '@schemakit/agent-server/payment': payment,
  '@schemakit/agent-server/testing': testing,
};
const imports = { ...doors, '@modelcontextprotocol/client': { Client, InMemoryTransport } };

const functions = Object.values(doors)
  .flatMap((names) => Object.entries(names))
  .filter(([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)))
  .map(([name]) => name);
const methods = Object.getOwnPropertyNames(core.SchemaKit).filter(
  (name) => !['length', 'name', 'prototype'].includes(name),
);
const agentMethods = Object.keys(agents.AgentToolsServer);

interface Example {
  name: string;
  program: string;
}

/** The examples of functions that a package exports, and of the methods of `SchemaKit` and `AgentToolsServer`. */
function examples(): Example[] {
  const files = globSync('packages/{core,import,server,agent-server}/src/**/*.ts', {
    cwd: projectFolder,
    exclude: ['**/*.test.ts'],
  });
  const documented =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(export (?:async )?function |static |(?:async )?(?=\w+\(settings|create\(config))(\w+)/g;
  return files.flatMap((file) =>
    [...readPage(file).matchAll(documented)].flatMap(([, comment = '', kind, name = '']) => {
      const known = kind === 'static ' ? methods : kind?.startsWith('export') ? functions : agentMethods;
      if (!known.includes(name)) return [];
      const [, ...texts] = comment.replace(/^ *\* ?/gm, '').split(/^@example\n/m);
      return texts.map((text) => ({ name, program: text.replace(/^@\w+ [\s\S]*/m, '') }));
    }),
  );
}

test('every public function has an example', () => {
  const named = new Set(examples().map(({ name }) => name));
  expect([...functions, ...methods, ...agentMethods].filter((name) => !named.has(name))).toEqual([]);
});

describe('the examples in comments', () => {
  let folder: PageFolder;
  beforeAll(async () => {
    folder = await openPageFolder();
    // The agents of the guide.
    for (const { words, text } of codeBlocks(readPage('docs/agents.md')))
      if (words[0] === 'file' && words[1] !== undefined) await folder.write(words[1], text);
  });
  afterAll(() => folder?.close());

  // In a comment behind it stands what a `console.log` prints.
  test.each(examples())('$name', async ({ name, program }) => {
    const taken = new Set(program.match(/(?<=import \{)[^}]*(?=\})/g)?.flatMap((names) => names.split(/[\s,]+/)));
    const header = Object.entries(imports).map(([specifier, names]) => {
      const used = Object.keys(names).filter(
        (word) => new RegExp(`\\b${word}\\(|\\b${word}\\.`).test(program) && !taken.has(word),
      );
      for (const word of used) taken.add(word);
      return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${specifier}';\n`;
    });
    const file = await folder.write(`${name}.mjs`, header.join('') + program);
    const { exitCode, stdout, stderr } = await folder.run('node', [file]);
    expect(exitCode, stdout + stderr).toBe(0);
    const printed = [...program.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text]) => `${text}\n`);
    if (printed.length > 0) expect(stdout).toBe(printed.join(''));
  });
});
