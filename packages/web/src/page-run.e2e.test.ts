import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentServerConfig, AgentToolsServer } from '../../agent-server/src/index.ts';
import { createScriptedModel } from '../../agent-server/src/testing/index.ts';
import { hasBrowser } from '../../validator-service/fixtures/browser.ts';
import { look, useHost } from '../fixtures/open-page.ts';

const looks = [
  { name: 'wide', width: 760 },
  { name: 'narrow-dark', width: 360, theme: 'dark' },
] as const;

const query = 'When can a yacht of 2.1 m draught enter Dover on Sunday?';
const answer = {
  title: 'Enter Dover between 09:40 and 14:20',
  analysis:
    'High water is at 12:01 with 6.4 m.\nThe gauge at the pier is out of order, so the level is that of the harbour next to it.',
  keyFindings: ['The draught fits from two hours before high water.', 'The wind stays below 18 knots.'],
  sources: [{ id: 1, tool: 'tides', query: 'Dover', insight: 'High water at 12:01' }],
};
const script = [
  { text: 'I look up the harbour first.', calls: [{ name: 'find_harbour', args: { name: 'Dover' } }] },
  {
    text: '',
    calls: [
      { name: 'tides', args: { harbour: 1107, day: '2026-03-01' } },
      { name: 'weather', args: { lat: 51.12, lon: 1.32 } },
    ],
  },
  { text: 'The pier has a gauge of its own.', calls: [{ name: 'gauge', args: { station: 'Prince of Wales Pier' } }] },
  { text: '', calls: [{ name: 'tides', args: { harbour: 1112, day: '2026-03-01' } }] },
  { text: 'One more look at the wind.', calls: [{ name: 'weather', args: { lat: 51.12, lon: 1.32, hours: 24 } }] },
  { text: '', calls: [{ name: 'submit_answer', args: answer }] },
];

/** An agent whose last call of `weather` waits until it is let go. */
async function serveAgent(settings: Partial<AgentServerConfig> = {}) {
  const held = Promise.withResolvers<void>();
  const model = await createScriptedModel({ turns: script });
  const tool = (name: string, execute: (args: Record<string, unknown>) => unknown) => ({
    name,
    description: `Asks ${name}.`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    execute,
  });
  const { mcp } = AgentToolsServer.create({
    name: 'harbour',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'not-needed' },
    tools: [
      {
        name: 'ask_pilot',
        description: 'Answers questions about harbours.',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
        agent: { systemPrompt: 'You are a pilot.', model: 'lab/model' },
        toolSources: [
          {
            type: 'tools',
            tools: [
              tool('find_harbour', () => ({ id: 1107, name: 'Dover' })),
              tool('tides', () => ({ high: '12:01', height: 6.4 })),
              tool('weather', async ({ hours }) => {
                if (hours !== undefined) await held.promise;
                return { wind: 14, gusts: 18 };
              }),
              tool('gauge', () => {
                throw new Error('The gauge answers with status 503: it is being repaired.');
              }),
            ],
          },
        ],
      },
    ],
    ...settings,
  });
  const { url } = await mcp.http({ port: 0 });
  onTestFinished(() => Promise.all([mcp.close(), model.close()]).then(() => {}));
  return { url: `${url}/mcp`, release: () => held.resolve() };
}

describe.skipIf(!hasBrowser)('the page of a run', () => {
  const { open } = useHost();
  const visit = { tool: 'ask_pilot', args: { query } };

  test.each(looks)('shows rounds as they come, then the answer, $name', async ({ name, ...size }) => {
    const { url, release } = await serveAgent();
    const { page, frame, shown } = await open({ url, ...visit, ...size });
    await frame.getByText('Round 5').waitFor();
    await frame.locator('.calls .running').waitFor();
    expect(await frame.locator('.calls .failed').innerText()).toContain('it is being repaired');
    await look(page, `run-going-${name}`);
    release();
    await shown;
    await frame.getByRole('heading', { name: answer.title }).waitFor();
    await frame.getByText('6 rounds, 6 calls, 1 failed').waitFor();
    await frame.locator('.steps > summary').click();
    await frame.locator('.calls .failed summary').click();
    await look(page, `run-done-${name}`);
  });

  test('shows the answer where its host passes no calls on', async () => {
    const { url, release } = await serveAgent();
    release();
    const { page, frame, shown } = await open({ url, ...visit, capabilities: {} });
    await shown;
    await frame.getByRole('heading', { name: answer.title }).waitFor();
    expect(await frame.locator('.calls li').allInnerTexts()).toHaveLength(4);
    await look(page, 'run-degraded');
  });

  test('says why a run has no answer', async () => {
    const { url, release } = await serveAgent({ llm: { baseURL: 'http://127.0.0.1:9', apiKey: 'not-needed' } });
    release();
    const { page, frame, shown } = await open({ url, ...visit });
    await shown;
    await frame.getByText('Failed', { exact: true }).waitFor();
    await look(page, 'run-failed');
  });
});
