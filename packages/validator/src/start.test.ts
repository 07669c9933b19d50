import { describe, expect, it } from 'vitest';
import { serveScript } from '../fixtures/scripted-server.ts';
import { plainTool, serveSdk1, serveSdk2, serveSse } from '../fixtures/sdk-servers.ts';
import { start } from './start.ts';

describe('a server of the SDK', () => {
  it.each([
    ['second SDK, new generation', () => serveSdk2({}, { legacy: 'reject' }), 'streamable-http', '2026-07-28'],
    ['second SDK, both generations', () => serveSdk2(), 'streamable-http', '2026-07-28'],
    ['first SDK, stateless', () => serveSdk1(), 'streamable-http', '2025-11-25'],
    ['first SDK, with sessions', () => serveSdk1({}, { sessions: true }), 'streamable-http', '2025-11-25'],
    ['first SDK, HTTP+SSE', () => serveSse(), 'sse', '2025-11-25'],
    ['second SDK, HTTP+SSE', () => serveSse({}, { sdk: 2 }), 'sse', '2025-11-25'],
  ])('is seen: %s', async (_, serve, transport, protocolVersion) => {
    const { endpoint } = await serve();
    const result = await start({ endpoint });
    expect(result.messages).toEqual([]);
    expect(result).toMatchObject({
      status: true,
      categories: { isReachable: true, supportsMcp: true, hasTools: true, supportsX402: false },
      entries: {
        endpoint,
        transport,
        protocolVersion,
        serverName: 'weather',
        serverVersion: '1.2.3',
        instructions: 'Ask for the weather.',
        tools: [plainTool],
        probe: [{ name: 'forecast', outcome: 'free' }],
      },
    });
  });
});

it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a server of %s is recognised',
  async (protocolVersion) => {
    const { endpoint } = await serveScript({
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
    });
    const { status, entries } = await start({ endpoint });
    expect(status).toBe(true);
    expect(entries).toMatchObject({ protocolVersion, specVersion: protocolVersion, serverName: 'old' });
  },
);

it('lists resources and prompts, measures, and says hello and goodbye to a server with sessions', async () => {
  const resources = [{ uri: 'file:///a', name: 'a' }];
  const prompts = [{ name: 'p' }];
  const { endpoint, requests } = await serveSdk1({ tools: [], resources, prompts }, { sessions: true });
  const { categories, entries, findings } = await start({ endpoint });
  expect(categories).toMatchObject({ hasTools: false, hasResources: true, hasPrompts: true });
  expect(entries).toMatchObject({
    resources,
    prompts,
    latency: { connect: expect.any(Number), ping: expect.any(Number) },
  });
  expect(findings.map(({ code }) => code)).toEqual(['PRB-005']);
  expect(requests).toContain('DELETE /mcp');
});

it('the result has exactly the twelve categories, and always the same entries', async () => {
  const { endpoint } = await serveSdk2();
  const seen = await start({ endpoint });
  const unseen = await start({ endpoint: 'http://127.0.0.1:1/' });
  expect(Object.keys(seen.categories)).toEqual([
    'isReachable',
    'supportsMcp',
    'hasTools',
    'hasResources',
    'hasPrompts',
    'supportsX402',
    'hasValidPaymentRequirements',
    'supportsExactScheme',
    'supportsEvm',
    'supportsSolana',
    'supportsTasks',
    'supportsMcpApps',
  ]);
  expect(Object.values(unseen.categories)).toEqual(Array.from({ length: 12 }, () => false));
  expect(Object.keys(unseen.entries)).toEqual(Object.keys(seen.entries));
  expect(seen.entries.supportedVersions).toContain('2026-07-28');
});
