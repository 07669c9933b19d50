import { describe, expect, it, test } from 'vitest';
import { type AssessOptions, assess } from '../assess/assess.ts';
import { checkAssess } from './assess-options.ts';

const url = 'http://127.0.0.1:1/';

describe('assess never throws', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['ASM-001 assess.url']],
    ['null', null, ['ASM-001 assess.url']],
    ['an array', [], ['ASM-001 assess.url']],
    [
      'several wrong options',
      { url: 5, timeout: -1, layers: [], onLayer: 1 },
      ['ASM-002', 'ASM-006', 'ASM-007', 'ASM-007'],
    ],
    ['a URL with a password', { url: 'https://a:b@example.com/' }, ['ASM-004 assess.url']],
    ['other wrong options', { url, headers: 5 }, ['ASM-007 assess.headers']],
    [
      'a getter that throws',
      {
        url,
        get layers() {
          throw new Error('no');
        },
      },
      ['ASM-007 assess'],
    ],
    [
      'nodes of several kinds',
      { url, erc8004: { rpcNodes: { BASE_MAINNET: [] } } },
      ['ASM-015 assess.erc8004.rpcNodes.'],
    ],
  ])('on %s', async (_, options, expected) => {
    const { status, messages, grade, layers } = await assess(options as AssessOptions);
    expect(status).toBe(false);
    expect(messages).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(messages[index]).toContain(start);
    expect(grade.letter).toBe('F');
    expect(layers.mcp).toMatchObject({ state: 'not-evaluated', skipped: 'The options are invalid.' });
  });
});

test('the options of start that do not fit an assessment are unknown', () => {
  const { findings, settings } = checkAssess({
    url,
    endpoint: url,
    stdio: { command: 'x' },
    onProgress: () => {},
    typo: 1,
  });
  expect(settings?.endpoint.href).toBe(url);
  expect(findings.map(({ severity, location }) => `${severity} ${location}`).sort()).toEqual([
    'WARNING assess.endpoint',
    'WARNING assess.onProgress',
    'WARNING assess.stdio',
    'WARNING assess.typo',
  ]);
});

test('defaults: 15 seconds, all layers, every tool that is not destructive', () => {
  const { settings } = checkAssess({ url });
  expect(settings).toMatchObject({ timeout: 15_000, probe: 'all', publicOnly: false, erc8004: {} });
  expect(settings?.layers).toHaveLength(8);
});

test('agent 0 and chains in both forms are valid', () => {
  for (const chainId of [8453, 'eip155:8453']) {
    const erc8004 = { agentId: 0, chainId, rpcNodes: { BASE_MAINNET: ['https://a.example', 'http://10.0.0.1:8545'] } };
    expect(checkAssess({ url, erc8004 })).toMatchObject({ findings: [], settings: { erc8004 } });
  }
});
