import { createScrubber } from '@schemakit/http';
import { describe, expect, it } from 'vitest';
import type { McpSource } from './config.ts';
import { sourceSecrets } from './source-secrets.ts';

const masked = (source: Partial<McpSource>, text: string) =>
  createScrubber(sourceSecrets({ type: 'mcp', ...source }))(text);

describe('the secrets of a tool source', () => {
  const secret = 'p4ssw0rd-long';
  it.each<[string, Partial<McpSource>]>([
    ['a cookie', { headers: { Cookie: `theme=dark; sid=${secret}` } }],
    ['a password', { headers: { Authorization: `Basic ${btoa(`user:${secret}`)}` } }],
    ['a scheme with a dash', { headers: { authorization: `Api-Key ${secret}` } }],
    ['a quoted parameter', { headers: { Authorization: `Token token="${secret}"` } }],
    ['a header of its own', { headers: { 'X-Tenant': secret } }],
    ['a query value with the name of a secret', { url: 'https://x.example/mcp?token=correcthorse' }],
    ['a query value that looks like one', { url: `https://x.example/mcp?k=${secret}` }],
    ['an argument', { command: ['node', `--api-key=${secret}`] }],
    ['the argument after a flag', { command: ['node', '--token', 'correcthorse'] }],
  ])('are masked: %s', (_, source) => {
    expect(masked(source, `debug: ${secret} correcthorse`)).toContain('[REDACTED]');
  });

  it('are not words that answers may contain', () => {
    const source = {
      headers: { Authorization: `Bearer ${secret}` },
      url: 'https://x.example/mcp?mode=sources',
      command: ['node', 'server.js', '--mode=sources', '--format', 'tomatoes'],
    };
    const text = 'The bearer of these tomatoes named his sources in server.js.';
    expect(masked(source, text)).toBe(text);
  });

  it('are the server parameters that schemas need', () => {
    const main = {
      namespace: 'fruit',
      name: 'Fruit',
      description: 'Fruit.',
      version: '3.0.0',
      root: 'http://127.0.0.1:1',
      requiredServerParams: ['FRUIT_KEY'],
      headers: { 'X-Key': '{{FRUIT_KEY}}' },
      tools: { list: { method: 'GET', path: '/fruit', description: 'Lists.', parameters: [] } },
    };
    const serverParams = { FRUIT_KEY: secret, FRUIT: 'tomatoes', HOME: '/home/amy' };
    expect(sourceSecrets({ type: 'flowmcp', schemas: [main], serverParams })).toEqual([secret]);
  });
});
