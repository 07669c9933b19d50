import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../../validator-service/fixtures/browser.ts';
import { serveHarbours } from '../fixtures/harbour-api.ts';
import { look, useHost, type Visit } from '../fixtures/open-page.ts';

const looks = [
  { name: 'wide', width: 760 },
  { name: 'narrow-dark', width: 360, theme: 'dark' },
] as const;

describe.skipIf(!hasBrowser)('the page of an answer', () => {
  const { open } = useHost();
  const visit = async (
    tool: string,
    { maxAnswerLength = 100_000, ...more }: Partial<Visit> & { maxAnswerLength?: number } = {},
  ) => {
    const url = await serveHarbours({ maxAnswerLength });
    const opened = await open({ url, tool: `sea__${tool}`, ...more });
    await opened.shown;
    return opened;
  };

  test.each(looks)('is clean in every state, $name', { timeout: 240_000 }, async ({ name, ...size }) => {
    const table = await visit('listHarbours', size);
    await table.frame.getByRole('button', { name: 'Row 1', exact: true }).click();
    await look(table.page, `answer-table-${name}`);
    const tree = await visit('getHarbour', size);
    await tree.frame.getByRole('button', { name: 'Tree' }).click();
    await tree.frame.getByText('operator').click();
    await look(tree.page, `answer-tree-${name}`);
    const chart = await visit('getWater', size);
    await chart.frame.getByRole('slider').press('ArrowRight');
    await look(chart.page, `answer-chart-${name}`);
    await look((await visit('getStations', size)).page, `answer-lines-${name}`);
    await look((await visit('listHarbours', { ...size, maxAnswerLength: 6_000 })).page, `answer-cut-${name}`);
    await look((await visit('getGauge', size)).page, `answer-error-${name}`);
    await look((await visit('getNothing', size)).page, `answer-empty-${name}`);
    const waiting = await visit('getHarbour', { ...size, isWaiting: true });
    await waiting.frame.getByRole('status').waitFor();
    await look(waiting.page, `answer-waiting-${name}`);
  });

  test('sorts by a column, in both directions, and filters', async () => {
    const { frame } = await visit('listHarbours');
    const first = () => frame.locator('tbody tr').first().locator('td').nth(2).innerText();
    await frame.getByRole('button', { name: 'berths' }).click();
    expect(await frame.locator('th[aria-sort=ascending]').innerText()).toContain('berths');
    const berths = () => frame.locator('tbody td:nth-child(8)').allInnerTexts();
    const ascending = (await berths()).map((text) => Number(text.replace(/\D/g, '')));
    expect(ascending).toEqual(ascending.toSorted((one, other) => one - other));
    await frame.getByRole('button', { name: 'berths' }).click();
    expect(await frame.locator('th[aria-sort=descending]').count()).toBe(1);
    // What is unknown is last in both directions.
    await frame.getByRole('button', { name: 'depth' }).click();
    expect(await frame.locator('tbody tr').last().locator('td.none').count()).toBeGreaterThan(0);
    await frame.getByPlaceholder('Filter').fill('harbour 007');
    await expect.poll(() => frame.locator('tbody tr').count()).toBe(1);
    expect(await first()).toBe('Harbour 007');
  });

  test('says what was cut, loads all of it, and selects a part', async () => {
    const { frame } = await visit('listHarbours', { maxAnswerLength: 6_000 });
    expect(await frame.getByRole('region', { name: 'What was left out' }).innerText()).toMatch(
      /harbours has the first \d+ of 500 items/,
    );
    await frame.getByRole('button', { name: 'Load all of it' }).click();
    await frame.getByText('500 rows').waitFor();
    await frame.getByRole('button', { name: 'Back to the answer' }).click();
    await frame.getByPlaceholder('harbours[].id').fill('harbours[?berths > `1380`].{name: name, berths: berths}');
    await frame.getByRole('button', { name: 'Select' }).click();
    await frame.locator('.part').waitFor();
    expect(await frame.locator('th').allInnerTexts()).toEqual(['Row', 'name', 'berths']);
    await frame.getByRole('button', { name: 'Back to the answer' }).click();
    await frame.getByPlaceholder('harbours[].id').fill('[');
    await frame.getByRole('button', { name: 'Select' }).click();
    await frame.getByText('The call failed').waitFor();
  });

  test('has no select where its host passes no calls on', async () => {
    const { frame } = await visit('listHarbours', { maxAnswerLength: 6_000, capabilities: {} });
    await frame.getByText('Incomplete').waitFor();
    expect(await frame.getByRole('button', { name: /Select|Load/ }).count()).toBe(0);
  });

  test('opens links through its host', async () => {
    const { page, frame } = await visit('listHarbours');
    await page.evaluate(() => {
      Object.assign(window, { links: [] });
      const { bridge, links } = window as never as { bridge: { onopenlink: unknown }; links: string[] };
      bridge.onopenlink = async ({ url }: { url: string }) => {
        links.push(url);
        return {};
      };
    });
    await frame.getByRole('button', { name: 'harbours.example/4000' }).click();
    await expect
      .poll(() => page.evaluate(() => (window as never as { links: string[] }).links))
      .toEqual(['https://harbours.example/4000']);
  });

  test('follows the scheme of its host while it is open', async () => {
    const { page, frame } = await visit('getHarbour');
    const background = () => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    const light = await background();
    await page.evaluate(() => {
      const { bridge } = window as never as { bridge: { sendHostContextChange(context: object): void } };
      bridge.sendHostContextChange({ theme: 'dark' });
    });
    await expect.poll(background).not.toBe(light);
  });
});
