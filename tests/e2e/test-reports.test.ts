import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { testedShop } from './support/tested-shop.ts';
import { closedOrigin, startUpstream } from './support/upstream.ts';

const odd = '<b> & "more" \u0000\u001b[31m]]> \u202e';

async function shopProject() {
  const upstream = await startUpstream(({ path }) =>
    path === '/fails' ? { status: 500, body: `<title>${odd}</title>` } : { body: { text: odd } },
  );
  const tools = { getThing: { tests: [{ _description: odd }] }, fails: {}, more: { tests: [] } };
  return cliProject({ 'project/shop.mjs': testedShop(upstream.origin, tools) });
}

describe('schemakit test --report', () => {
  test('junit is XML that a CI server reads', async () => {
    const { start, read } = await shopProject();
    const { json } = await start('test', 'single', 'shop.mjs', '--report', 'junit=out/deep/report.xml');
    expect(json.reports).toEqual(['out/deep/report.xml']);
    const xml = read('project/out/deep/report.xml');
    expect(tagsOf(xml)).toEqual(['testsuites', 'testsuite', 'testcase', 'system-out', 'testcase', 'failure']);
    expect(xml).toContain('<testsuites name="schemakit test" tests="2" failures="1" errors="0" skipped="0" time="');
    expect(xml).toContain('name="&lt;b&gt; &amp; &quot;more&quot; \\u{0}\\u{1b}[31m]]&gt; ');
    expect(xml).toContain('type="HTTP_500"');
  });

  test('html is one page without anything that runs or loads', async () => {
    const { start, read } = await shopProject();
    await start('test', 'single', 'shop.mjs', '--report', 'html', '--quality', 'library');
    const html = read('project/schemakit-test.html');
    expect(html).not.toMatch(/<script|<link|<img|src=|url\(|@import|<b>/);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('✗</span> failed');
    expect(html).toContain('At least one tool of each schema returned data.');
    expect(html).toContain('&lt;b&gt; &amp; &quot;more&quot;');
    const opened = [
      ...html.matchAll(/<(section|table|details|ul|li|p|dl|div|tr|td|th|main|header|footer|body|html)\b/g),
    ];
    for (const [, name] of opened) {
      const count = (pattern: string) => html.match(new RegExp(pattern, 'g'))?.length;
      expect(count(`<${name}[ >]`), name).toBe(count(`</${name}>`));
    }
  });

  test('json is what the command prints, and several reports are written at once', async () => {
    const { start, json } = await shopProject();
    const ran = await start('test', 'single', 'shop.mjs', '--report', 'json=a.json', '--report', 'json=b.json');
    const { reports, ...document } = ran.json;
    expect(reports).toEqual(['a.json', 'b.json']);
    expect(json('project/a.json')).toEqual(document);
    expect(json('project/b.json')).toEqual(document);
  });

  test('a report that cannot be written fails the command, which still says what came', async () => {
    const { start } = await shopProject();
    const { status, json } = await start('test', 'single', 'shop.mjs', '--report', 'junit=shop.mjs/report.xml');
    expect(status).toBe(1);
    expect(json).toMatchObject({
      status: false,
      total: 2,
      error: expect.stringContaining('Cannot write the report shop.mjs/report.xml'),
    });
  });
});

/** The elements of XML in their order; throws where they are not put into one another. */
function tagsOf(xml: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  for (const [, close, name = '', isEmpty] of xml.matchAll(/<(\/?)([\w-]+)(?:\s+[\w-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (close !== '') expect(open.pop()).toBe(name);
    else {
      names.push(name);
      if (isEmpty === '') open.push(name);
    }
  }
  expect(open).toEqual([]);
  expect(xml.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]/);
  return names;
}

describe.runIf(hasTerminal)('at a terminal', () => {
  test('there is a table, why tests failed, and no raw control characters', async () => {
    const { folder, home } = await shopProject();
    const env = { SCHEMAKIT_HOME: home, HOME: folder, NO_COLOR: '1' };
    const { status, screen } = await runAtTerminal(['test', 'single', 'shop.mjs', '--report', 'html'], '', {
      cwd: folder,
      env,
    });
    expect(status).toBe(5);
    expect(screen).toMatch(
      /1 of 2 tests failed: the API at http:\/\/127\.0\.0\.1:\d+ answered HTTP 500\.\r?\n\r?\nResult/,
    );
    expect(screen).toContain('Report (html): schemakit-test.html');
    const shown = screen.slice(screen.indexOf('Result'));
    expect(shown).toMatch(/^Result\s+Tool\s+Time\s+Test\r?\npassed\s+shop_getThing\s+\d+ ms\s+<b>/);
    expect(shown).toContain('FAILED: shop_fails, fails works');
    expect(shown).toMatch(/1 test passed, 1 failed, 0 skipped in \d+\.\d s\./);
    expect(shown).not.toContain('\u001b[31m]]');
  });

  test('tests that fail for one reason have it once', async () => {
    const text = testedShop(await closedOrigin(), { getThing: {}, more: {}, other: {} });
    const { folder, home } = await cliProject({ 'project/shop.mjs': text });
    const env = { SCHEMAKIT_HOME: home, HOME: folder, NO_COLOR: '1' };
    const { screen } = await runAtTerminal(['test', 'single', 'shop.mjs'], '', { cwd: folder, env });
    expect(screen.match(/ECONNREFUSED/g)).toHaveLength(1);
    expect(screen).toContain('FAILED: shop_getThing, getThing works and 2 other tests');
  });
});
