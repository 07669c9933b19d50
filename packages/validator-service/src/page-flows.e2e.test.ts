import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser, shoot, useService } from '../fixtures/browser.ts';
import { authority, serveBad, serveGood, serveMany, serveMended, servePrivate } from '../fixtures/targets.ts';

/** The clipboard as the page writes it. */
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

async function check(page: Page, url: string): Promise<void> {
  await page.locator('#url').fill(url);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.locator('.grade').waitFor();
}

describe.skipIf(!hasBrowser)('the page', () => {
  const { visit, url } = useService({ ca: authority.cert });

  test('builds a report up, and ends at its link, which shows the same to others', async () => {
    const page = await visit();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('url');
    await check(page, (await serveGood()).endpoint);
    expect(page.url()).toMatch(/\/reports\/[\w-]{22}$/);
    expect(await page.locator('h1').innerText()).toContain('Grade A: No errors and no warnings');
    expect(await page.locator('.layer[aria-busy=true]').count()).toBe(0);
    expect(await page.locator('#layer-mcp').innerText()).toMatch(/weather 1\.2\.3[\s\S]*3 tools, as a model sees them/);
    expect(await page.locator('#layer-mcp').innerText()).toContain('0.01 USDC on Base');
    expect(await page.locator('#layer-http').innerText()).toMatch(/Certificate[\s\S]*Time to the first byte/);
    const text = await page.locator('.report h1').innerText();
    const other = await visit({ path: new URL(page.url()).pathname });
    expect(await other.locator('.report h1').innerText()).toBe(text);
    expect(await other.getByRole('button', { name: 'Delete this report' }).count()).toBe(0);
  });

  test('folds many tools, marks no notes as warnings, and says what the coverage counts', async () => {
    const page = await visit();
    await check(page, (await serveMany()).endpoint);
    expect(await page.locator('.report-head .meta').first().innerText()).toMatch(
      /\d of 8 layers evaluated: \d detected, \d not detected/,
    );
    const last = page.getByText('get_forecast_12');
    expect(await last.isVisible()).toBe(false);
    await page.getByText('Show 2 more').focus();
    await page.keyboard.press('Enter');
    expect(await last.isVisible()).toBe(true);
    expect(await page.locator('.tag.is-code').count()).toBeGreaterThan(0);
    const warnings = await page.locator('#layer-mcp .count.is-WARNING').count();
    if (warnings === 0) expect(await page.locator('.tag.is-problem').count()).toBe(0);
  });

  test('shows each layer when it ends, tells screen readers, knows the place in the queue, and resumes', async () => {
    const page = await visit();
    const said: string[] = [];
    await page.exposeFunction('say', (text: string) => said.push(text));
    await page.evaluate(() => {
      const tell = Reflect.get(window, 'say');
      new MutationObserver(() => tell(document.querySelector('[role=status]')?.textContent)).observe(document, {
        ...{ subtree: true, childList: true, characterData: true },
      });
    });
    const layer = { detected: false, state: 'not-detected', skipped: 'Not there.' };
    const events = [
      ['queued', { position: 3 }],
      ['layer', { name: 'a2a', layer }],
      ['problem', { title: 'Stopped', status: 503, detail: 'The service is stopping.' }],
    ].map(([name, data], index) => `id: job.${index}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    let connections = 0;
    await page.route('**/api/assess/stream*', (route) => {
      // The first connection breaks off after the layer; the browser comes back at once.
      const body = connections++ === 0 ? `retry: 1\n${events.slice(0, 2).join('')}` : events[2];
      return route.fulfill({ contentType: 'text/event-stream', body: body ?? '' });
    });
    await page.locator('#url').fill('mcp.example.com');
    await page.locator('#url').press('Enter');
    await page.getByRole('alert').getByText('The service is stopping.').waitFor();
    expect(said.join('\n')).toMatch(/number 3 in the queue[\s\S]*A2A: not detected\. 1 of 8 layers[\s\S]*Reconnecting/);
  });

  test('says why the service refuses', async () => {
    const page = await visit({ expectedStatuses: [400] });
    await page.locator('#url').fill('ftp://example.com');
    await page.locator('#url').press('Enter');
    await page.getByRole('alert').getByText(/http/).waitFor();
    expect(await page.locator('#url').inputValue()).toBe('ftp://example.com');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('url');
  });

  test('tells what to do, why, what was seen; copies the fix for a person and for a coding agent', async () => {
    const page = await visit({ context: clipboard });
    const { endpoint } = await serveBad();
    await check(page, endpoint);
    expect(await page.locator('.next').innerText()).toContain('2 things to mend for grade B');
    await page.locator('.next li a').first().click();
    const finding = page.locator('.finding:target');
    expect(await finding.innerText()).toMatch(/`?payTo`?[\s\S]*What to do:/);
    await finding.getByText('Why it matters').click();
    expect(await finding.innerText()).toMatch(/The rule:[\s\S]*What was seen:/);
    await finding.getByRole('button', { name: 'Copy the fix' }).click();
    await finding.getByText('Copied').waitFor();
    expect(await copied(page)).toMatch(
      /^ERROR PAY-082 at payment\[weather\/now\][\s\S]*What to do: [\s\S]*Found at http/,
    );
    await page.getByRole('button', { name: 'Copy all for a coding agent' }).click();
    await page.locator('.next').getByText('Copied').waitFor();
    expect(await copied(page)).toMatch(
      /never as instructions[\s\S]*ERROR PAY-082[\s\S]*ERROR PAY-092[\s\S]*npx @schemakit\/cli inspect 'http[\s\S]*--all/,
    );
    await page.locator('#layer-payment').getByText('Raw JSON').click();
    expect(await page.locator('#layer-payment .raw pre').innerText()).toContain('"restrictedCalls"');
  });

  test('checks one finding again, and the whole address; then shows what changed', async () => {
    const page = await visit();
    const { endpoint, mend } = await serveMended();
    await check(page, endpoint);
    const finding = page.locator('.finding', { hasText: 'TOOL-001' });
    await finding.getByRole('button', { name: 'Check again' }).click();
    await finding.getByText('still there').waitFor();
    mend();
    await finding.getByRole('button', { name: 'Check again' }).click();
    await finding.getByText('mended').waitFor();
    const before = page.url();
    await page.locator('.report-actions').getByRole('button', { name: 'Check again' }).click();
    await page.locator('.grade.is-A').waitFor();
    expect(page.url()).not.toBe(before);
    await page.getByRole('link', { name: 'Compare' }).last().click();
    const changes = page.locator('.differences');
    await changes.getByText('findings/TOOL-001:tools').waitFor();
    expect(await changes.innerText()).toMatch(/Grade B[\s\S]*Grade A[\s\S]*Gone[\s\S]*tools\/get_forecast/);
  });

  test('compares a link with a downloaded file', async () => {
    const page = await visit();
    await check(page, (await serveBad()).endpoint);
    const link = page.url();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'JSON' }).click();
    const json = await readFile(await (await download).path());
    expect(JSON.parse(String(json))).toMatchObject({ assessment: { grade: { letter: 'C' } } });
    const sarif = page.waitForEvent('download');
    await page.getByRole('link', { name: 'SARIF' }).click();
    expect(JSON.parse(String(await readFile(await (await sarif).path())))).toMatchObject({ version: '2.1.0' });
    await page.goto('/#compare');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('alert').getByText('Give two reports').waitFor();
    await page.locator('#before-text').fill(link);
    await page
      .locator('#after-file')
      .setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer: json });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.differences').getByText('Nothing changed.').first().waitFor();
    const other = { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
    await page.locator('#after-file').setInputFiles(other);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('alert').getByText('other.json is no report').waitFor();
  });

  test('sends own headers with a check, and keeps them nowhere', async () => {
    const page = await visit();
    const { endpoint } = await servePrivate();
    await page.getByText('Own headers').click();
    await page.locator('#headers').fill('no header');
    await page.locator('#url').fill(endpoint);
    await page.locator('#url').press('Enter');
    await page.getByRole('alert').getByText('“no header” is no header').waitFor();
    await page.locator('#headers').fill('Authorization: Bearer secret-of-mine');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await check(page, endpoint);
    expect(await page.locator('#layer-mcp').innerText()).toContain('weather 1.2.3');
    expect(asked.join(' ')).not.toContain('secret');
    expect(await page.content()).not.toContain('secret-of-mine');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('secret');
    const kept = await (await fetch(`${url()}/api${new URL(page.url()).pathname}`)).text();
    expect(kept).not.toContain('secret-of-mine');
  });

  test('keeps a history in this browser, and deletes the own report', async () => {
    const page = await visit({ expectedStatuses: [404] });
    const { endpoint } = await serveGood();
    await check(page, endpoint);
    const link = page.url();
    await page.goto('/#history');
    await page.locator('.checks').getByText(endpoint).click();
    await page.waitForURL(link);
    await page.getByRole('button', { name: 'Delete this report' }).click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Delete this report' }).click();
    await page.getByRole('button', { name: 'Yes, delete' }).click();
    await page.getByText('The report is deleted.').waitFor();
    await page.goto(link);
    await page.getByRole('heading', { name: 'No such report' }).waitFor();
    await page.goto('/#history');
    await page.getByText('No checks yet.').waitFor();
  });

  test('shares the link, the badge and the same check in a shell', async () => {
    const page = await visit({ context: clipboard });
    const { endpoint } = await serveGood();
    await check(page, endpoint);
    for (const [label, text] of [
      ['Link to this report', page.url()],
      ['Badge', `[![SchemaKit](${url()}/badge/${new URL(endpoint).host}.svg)](${page.url()})`],
      ['The same check in a shell', `-d '{"url":"${endpoint}"}'`],
    ] as const) {
      const snippet = page.locator('.snippet', { hasText: label });
      await snippet.getByRole('button', { name: 'Copy' }).click();
      await snippet.getByText('Copied').waitFor();
      expect(await copied(page)).toContain(text);
    }
  });

  test('prints everything that is closed, and nothing to click', async () => {
    const page = await visit();
    await check(page, (await serveBad()).endpoint);
    await page.emulateMedia({ media: 'print' });
    await shoot(page, 'print');
    await page.locator('#layer-http .finding').first().waitFor();
    expect(await page.locator('button:visible, nav:visible').count()).toBe(0);
  });

  test('never runs or renders what a target sends', async () => {
    const page = await visit();
    await check(page, (await serveBad()).endpoint);
    await page.reload();
    expect(await page.locator('#layer-mcp').innerText()).toContain('notes<script>alert(1)</script>');
    expect(await page.locator('main img, main script, a[href^="javascript:"]').count()).toBe(0);
  });

  test('changes its language, and stays in it', async () => {
    const page = await visit();
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Sehen, was ein Endpunkt wirklich kann' }).waitFor();
    await page.locator('#url').fill((await serveGood()).endpoint);
    await page.locator('#url').press('Enter');
    await page.getByText('Note A: Keine Fehler').waitFor();
    expect(page.url()).toMatch(/\?lang=de$/);
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
  });

  test('works by keyboard alone', async () => {
    const page = await visit();
    const { endpoint } = await serveBad();
    await page.keyboard.type(endpoint);
    await page.keyboard.press('Enter');
    await page.locator('.grade').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    const reached: string[] = [];
    for (let step = 0; step < 200; step++) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
      if (label === '' || label === 'Skip to the content') break;
      reached.push(label);
      if (label === 'Why it matters' && !reached.includes('opened')) {
        await page.keyboard.press('Enter');
        reached.push('opened');
      }
    }
    expect(await page.locator('.finding details[open]').count()).toBe(1);
    for (const label of [
      'Check again',
      'Copy all for a coding agent',
      'Copy the fix',
      'Raw JSON',
      'SARIF',
      'Delete this report',
    ])
      expect(reached).toContain(label);
  });

  test('works without script: the form, the report, the refusal', async () => {
    const page = await visit({ context: { javaScriptEnabled: false }, expectedStatuses: [400] });
    const { endpoint } = await serveBad();
    await page.locator('#url').fill(endpoint);
    await page.locator('#url').press('Enter');
    await page.waitForURL(/\/reports\//);
    expect(await page.locator('h1').innerText()).toContain('Grade C');
    const finding = page.locator('.finding-group[open] .finding').first();
    await finding.locator('summary').click();
    expect(await finding.innerText()).toContain('The rule:');
    expect(await page.locator('button:visible').count()).toBe(0);
    await shoot(page, 'without-script');
    await page.goto('/?lang=de');
    await page.locator('#url').fill('ftp://example.com');
    await page.locator('#url').press('Enter');
    expect(await page.locator('#url').inputValue()).toBe('ftp://example.com');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await page.getByRole('alert').innerText()).toMatch(/http/);
  });

  test('every view loads less than 25 KB of script, compressed', async () => {
    for (const path of ['/', '/#lookup', '/#compare', '/#history']) {
      const page = await visit({ path, context: { locale: 'de-DE' } });
      const bytes = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.endsWith('.js'))
          .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
      );
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(25_000);
    }
  });
});
