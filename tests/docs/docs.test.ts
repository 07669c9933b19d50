import { existsSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorsPage } from '../../docs/errors-page.ts';
import { anchors, type CodeBlock, codeBlocks, localLinks, projectFolder, readPage } from './markdown.ts';
import { openPageFolder, type PageFolder } from './page-folder.ts';
import { shownSchema } from './shown-schema.ts';

/**
 * The code in the documentation is run. The words after a block's language say how:
 *
 * - `js schema [<file>]`, `js fields`, `js tools`, `js parameters`: a schema or a part of one, which must load
 * - `js refused <code>`: a schema file that must be refused with this code
 * - `js file <name>`: a file that later blocks of the page use
 * - `js run`, `sh run`: a program, which must end well
 * - `text output`: what the program before it prints
 * - `json mcp`: the settings of an MCP client, with which a server must start
 */
const pages = globSync(['*.md', 'docs/*.md', 'examples/*.md', 'packages/*/README.md', 'catalog/*.md'], {
  cwd: projectFolder,
}).sort();

const kinds = ['schema', 'fields', 'tools', 'parameters', 'refused', 'file', 'run', 'output', 'mcp'];

for (const page of pages) {
  const blocks = codeBlocks(readPage(page)).filter(({ words: [kind = ''] }) => kinds.includes(kind));
  if (blocks.length > 0) describe(`${page} does what it shows`, () => testBlocks(blocks));
}

function testBlocks(blocks: readonly CodeBlock[]): void {
  let folder: PageFolder;
  beforeAll(async () => {
    folder = await openPageFolder();
  });
  afterAll(() => folder?.close());

  for (const [index, block] of blocks.entries()) {
    const { line, language, words, text } = block;
    const [kind = '', argument = `line-${line}.mjs`] = words;
    if (kind === 'output' && blocks[index - 1]?.words[0] === 'run') continue;
    test(`line ${line}: ${language} ${words.join(' ')}`, async () => {
      if (kind === 'file') await folder.write(argument, text);
      else if (kind === 'mcp') await expectServer(folder, text);
      else if (kind === 'run') await expectRun(folder, block, blocks[index + 1]);
      else if (kind === 'refused') await expectRefusal(folder, block, argument);
      else await expectLoads(await folder.write(argument, shownSchema(kind, text)));
    });
  }
}

async function expectLoads(filePath: string): Promise<void> {
  const { status, messages } = await SchemaKit.loadSchema({ filePath });
  expect(status, messages.join('\n')).toBe(true);
}

async function expectRefusal(folder: PageFolder, { line, text }: CodeBlock, code: string): Promise<void> {
  const { status, findings } = await SchemaKit.loadSchema({ filePath: await folder.write(`line-${line}.mjs`, text) });
  expect(status).toBe(false);
  expect(findings.map((finding) => finding.code)).toContain(code);
}

async function expectRun(folder: PageFolder, { line, language, text }: CodeBlock, next?: CodeBlock): Promise<void> {
  const { exitCode, stdout, stderr } =
    language === 'js'
      ? await folder.run('node', [await folder.write(`line-${line}.mjs`, text)])
      : await folder.run('bash', ['--norc', '-euo', 'pipefail', '-c', text]);
  expect(exitCode, stdout + stderr).toBe(0);
  if (next?.words[0] === 'output') expect(stdout).toBe(next.text);
}

/** Starts the server that a client's settings name, and asks it for its tools. */
async function expectServer(folder: PageFolder, settings: string): Promise<void> {
  const { mcpServers } = JSON.parse(withRealPaths(settings, folder)) as {
    mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>;
  };
  for (const server of Object.values(mcpServers)) {
    const client = new Client({ name: 'docs', version: '1.0.0' });
    try {
      await client.connect(new StdioClientTransport(server));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['tides__getTides']);
    } finally {
      await client.close();
    }
  }
}

/** Files of the page, and of the project for the rest. */
function withRealPaths(text: string, folder: PageFolder): string {
  return text.replace(/\/path\/to\/(?:schemakit\/)?([\w./-]+)/g, (_, name: string) => {
    const own = join(folder.path, name);
    return !name.startsWith('node_modules') && existsSync(own) ? own : join(projectFolder, name);
  });
}

test.each(pages.filter((page) => /^(README|docs\/)/.test(page)))(
  '%s says of all its JavaScript how it is tested',
  (page) => {
    const unknown = codeBlocks(readPage(page)).filter(
      ({ language, words: [kind = ''] }) => language === 'js' && !kinds.includes(kind),
    );
    expect(unknown).toEqual([]);
  },
);

describe('links lead somewhere', () => {
  test.each(pages)('%s', (page) => {
    const dead = localLinks(readPage(page)).filter((link) => {
      const [path = '', anchor] = link.split('#', 2);
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(projectFolder, target))) return true;
      return anchor !== undefined && !anchors(readPage(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

test('the schema in the README is that of the first example', () => {
  const shown = codeBlocks(readPage('README.md')).find(({ words }) => words[1] === 'tides.mjs');
  expect(shown?.text).toBe(readPage('examples/first-schema/tides.mjs'));
});

test('docs/library.md has every method of SchemaKit, and no other', () => {
  const methods = Object.getOwnPropertyNames(SchemaKit).filter(
    (name) => !['length', 'name', 'prototype'].includes(name),
  );
  const headings = [...readPage('docs/library.md').matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name);
  expect(headings.sort()).toEqual([...methods, 'exposeSchemas', 'loadSchemas'].sort());
});

describe('docs/errors.md', () => {
  test('is what the tables in the code say (if not: npx node docs/generate-errors.ts)', () => {
    expect(readPage('docs/errors.md')).toBe(errorsPage());
  });

  test('has every code that is in the packages as they are built', () => {
    const built = globSync('packages/*/dist/*.js', { cwd: projectFolder }).map(readPage).join('\n');
    const found = built.matchAll(/["']([A-Z]{3}\d{3})["']|code(?: = |: )["']([A-Z][A-Z_]+)["']/g);
    const codes = new Set([...found].map(([, short, long]) => short ?? long));
    // Codes on errors that imitate those of Node.js; findings never carry them.
    for (const code of ['ABORT_ERR', 'ERR_ACCESS_DENIED']) codes.delete(code);
    const page = errorsPage();
    expect([...codes].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
    expect(codes.size).toBeGreaterThan(80);
  });
});
