import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { OWNER, serveNode } from '../../validator/fixtures/fake-node.ts';
import { dataUri } from '../../validator/fixtures/registrations.ts';
import { accessProblems, hasBrowser, isTooWide, shoot, useService } from '../fixtures/browser.ts';
import { authority, serveBad, serveGood, serveStuck } from '../fixtures/targets.ts';

interface Look {
  name: string;
  width?: number;
  colorScheme?: 'light' | 'dark';
  locale?: string;
}

const looks: Look[] = [
  { name: 'wide' },
  { name: 'wide-dark', colorScheme: 'dark' },
  { name: 'narrow-german', width: 360, locale: 'de-DE' },
  { name: 'narrow-dark', width: 360, colorScheme: 'dark' },
];

describe.skipIf(!hasBrowser).each(looks)(
  'every state, $name',
  ({ name, width = 1440, colorScheme = 'light', locale = 'en-US' }) => {
    const { visit } = useService({ ca: authority.cert });
    const open = (path: string) =>
      visit({ path, width, context: { colorScheme, locale, reducedMotion: 'reduce' }, expectedStatuses: [404] });
    /** Fits into its window, and is clean for assistive technology. */
    const look = async (page: Page, state: string): Promise<void> => {
      await shoot(page, `${state}-${name}`);
      expect(await isTooWide(page)).toBe(false);
      expect(await accessProblems(page)).toEqual([]);
    };
    const check = async (page: Page, url: string): Promise<void> => {
      await page.locator('#url').fill(url);
      await page.locator('#url').press('Enter');
      await page.locator('.grade').first().waitFor();
    };

    test('home', async () => look(await open('/'), 'home'));

    test('a good report, and one with errors; both compared; the history', { timeout: 240_000 }, async () => {
      const page = await open('/');
      await check(page, (await serveGood()).endpoint);
      await look(page, 'report-good');
      await page.goto('/');
      await check(page, (await serveBad()).endpoint);
      await page.locator('.tools details').first().locator('summary').click();
      await look(page, 'report-errors');
      await page.locator('.finding-group[open] .finding details summary').first().click();
      await page.locator('.raw summary').first().click();
      await look(page, 'report-open');
      await page.goto('/#history');
      await page.locator('.checks').waitFor();
      await look(page, 'history');
      await page.goto('/#compare');
      await page.locator('#before-own').selectOption({ index: 2 });
      await page.locator('#after-own').selectOption({ index: 1 });
      await look(page, 'compare-form');
      await page.locator('.compare-form .primary').click();
      await page.locator('.differences').waitFor();
      await look(page, 'compare');
      await page.goto('/');
      await page.locator('.recent').waitFor();
      await look(page, 'home-recent');
    });

    test('an endpoint that cannot be reached', async () => {
      const page = await open('/');
      await check(page, 'http://127.0.0.1:1/mcp');
      await look(page, 'unreachable');
    });

    test('a check that runs', async () => {
      const page = await open('/');
      await page.locator('#url').fill((await serveStuck()).endpoint);
      await page.locator('#url').press('Enter');
      const places = () =>
        page.locator('.layer').evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().top + scrollY));
      await page.locator('.ring').waitFor();
      const before = await places();
      await page.locator('#layer-http:not([aria-busy=true])').waitFor();
      await page.locator('#layer-html:not([aria-busy=true])').waitFor();
      expect(await places()).toEqual(before);
      // Without its styles a shape is black.
      expect(
        await page
          .locator('.ring circle')
          .first()
          .evaluate((ring) => getComputedStyle(ring).fill),
      ).toBe('none');
      await look(page, 'running');
    });

    test('no such report', async () => look(await open('/reports/unknown'), 'not-found'));

    test('an agent on its chain', async () => {
      const feedback = [90n, 80n, 40n, 97n, 88n].map((value, index) => ({
        value,
        tag1: index % 2 === 0 ? 'quality' : 'speed',
        isRevoked: index === 2,
      }));
      const services = [
        { name: 'MCP', endpoint: 'http://127.0.0.1:1/mcp' },
        { name: 'web', endpoint: 'javascript:alert(1)' },
      ];
      const node = await serveNode({
        22: { owner: OWNER, uri: dataUri({ services }), feedback, validations: [100, 60] },
      });
      const page = await open('/#lookup');
      await page.locator('#agentId').fill('22');
      await page.locator('#node').fill(node.origin);
      await look(page, 'lookup-form');
      await page.locator('.lookup-form .primary').click();
      await page.locator('.agent').waitFor();
      expect(await page.locator('.services').first().innerText()).toContain('javascript:alert(1)');
      expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
      await look(page, 'lookup');
    });
  },
);
