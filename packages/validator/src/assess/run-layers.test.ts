import { describe, expect, it } from 'vitest';
import { listen } from '../../fixtures/loopback.ts';
import { checkAssess } from '../input/assess-options.ts';
import type { Layer, LayerOutcome } from './layer.ts';
import { runLayers } from './run-layers.ts';

const healthy: Layer = {
  name: 'http',
  run: async () => ({ detected: true, categories: { isHttps: false }, entries: {}, findings: [] }),
};

/** Runs a layer beside a healthy one. */
async function beside(run: Layer['run'], timeout: number = 5000) {
  const { endpoint } = await listen((_, response) => response.end());
  const { settings } = checkAssess({ url: endpoint, timeout });
  if (settings === undefined) throw new Error('The options are valid.');
  const told: string[] = [];
  const onLayer = (name: string): void => {
    told.push(name);
    throw new Error('A bug of the listener.');
  };
  const begin = performance.now();
  const { ended } = await runLayers(settings, { layers: [{ name: 'html', run }, healthy], onLayer });
  expect(performance.now() - begin).toBeLessThan(timeout + 5000);
  expect(ended.get('http')?.result.state).toBe('passed');
  expect(told.sort()).toEqual(['html', 'http']);
  return ended.get('html')?.result;
}

describe('a layer fails only itself', () => {
  it.each<[string, Layer['run'], string]>([
    ['rejects', async () => Promise.reject(new Error('broken')), 'Failed: broken'],
    [
      'throws at once',
      () => {
        throw new Error('broken');
      },
      'Failed: broken',
    ],
    ['rejects without a reason', async () => Promise.reject(undefined), 'Failed: no reason given'],
    [
      'returns what JSON cannot hold',
      async () => ({ detected: true, categories: {}, entries: { size: 1n }, findings: [] }),
      'Failed: Do not know how to serialize a BigInt',
    ],
    ['returns nothing', async () => undefined as unknown as LayerOutcome, 'Failed: '],
    [
      'has a code that does not exist',
      async () => ({
        detected: true,
        categories: {},
        entries: {},
        findings: [{ code: 'XXX-001' as never, severity: 'INFO', location: 'a', text: 'b' }],
      }),
      'Failed: ',
    ],
  ])('that %s', async (_, run, skipped) => {
    const layer = await beside(run);
    expect(layer).toMatchObject({ detected: false, state: 'not-evaluated', skipped: expect.stringContaining(skipped) });
  });

  it('that hangs, at the deadline', async () => {
    const skipped = 'Not finished, because the run timed out.';
    expect(await beside(() => new Promise(() => {}), 500)).toMatchObject({ state: 'not-evaluated', skipped });
  });

  it('that heeds its own deadline still tells what it saw', async () => {
    const layer = await beside(async ({ clock }) => {
      await clock.within(new Promise(() => {}));
      return { detected: true, categories: { sawPart: true }, entries: {}, findings: [] };
    }, 1000);
    expect(layer).toMatchObject({ state: 'passed', categories: { sawPart: true } });
  });
});
