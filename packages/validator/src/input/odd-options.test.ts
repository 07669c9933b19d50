import { describe, expect, it } from 'vitest';
import { listen } from '../../fixtures/loopback.ts';
import { serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { compare } from '../compare/compare.ts';
import { start } from '../start.ts';

describe('options of start', () => {
  it.each([
    ['Headers', () => new Headers({ 'X-Key': 'abcdefgh' })],
    ['a map', () => new Map([['X-Key', 'abcdefgh']])],
  ])('may have headers as %s', async (_, headers) => {
    const seen: unknown[] = [];
    const { endpoint } = await listen((request, response) => {
      if (request.method === 'POST') seen.push(request.headers['x-key']);
      response.writeHead(500).end();
    });
    await start({ endpoint, headers: headers() });
    expect(seen).toContain('abcdefgh');
  });

  it('that are unknown are reported, and ignored', async () => {
    const { endpoint } = await serveSdk2();
    const result = await start({ endpoint, timout: 5, probeLimits: { maxcalls: 1 } } as never);
    expect(result.status).toBe(true);
    expect(result.messages).toEqual([
      'VAL-005 start.timout: Unknown option',
      'VAL-005 start.probeLimits.maxcalls: Unknown option',
    ]);
    expect(result.findings.map(({ severity }) => severity)).toEqual(['WARNING', 'WARNING']);
  });

  it.each<[options: object, message: string]>([
    [{ stdio: 'ls' }, 'VAL-005 start.stdio: Must be an object of command, args, cwd and env'],
    [
      { stdio: { command: 'ls', env: new Map() } },
      'VAL-005 start.stdio: Must be an object of command, args, cwd and env',
    ],
    [
      { endpoint: 'localhost:4907/x' },
      'VAL-004 start.endpoint: Must begin with http:// or https://, such as http://localhost:4907/x',
    ],
  ])('%j are told', async (options, message) => {
    expect((await start(options)).messages).toEqual([message]);
  });

  it('that throw when they are read are reported', async () => {
    const options = {
      get endpoint(): string {
        throw new Error('no');
      },
    };
    expect((await start(options)).messages).toEqual(['VAL-005 start: Cannot read the options: no']);
  });
});

describe('snapshots that are not JSON are reported:', () => {
  const whole = { categories: {}, entries: { endpoint: 'https://example.com/mcp', timestamp: '2026-01-01' } };
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
  const cyclic: Record<string, unknown> = { ...whole };
  cyclic.self = cyclic;
  it.each<[name: string, before: () => object]>([
    ['nested without end', () => ({ ...whole, entries: { ...whole.entries, tools: deep } })],
    ['in a circle', () => cyclic],
    ['with a number beyond JSON', () => ({ ...whole, entries: { n: 1n } })],
  ])('%s', (_, before) => {
    expect(compare({ before: before(), after: whole }).messages).toEqual([
      'VAL-011 compare.before: Must be plain JSON, as `start` returned it',
    ]);
  });
});

describe('an endpoint that redirects to an origin', () => {
  it('that the user named is followed, without the headers of the user', async () => {
    const headers: unknown[] = [];
    const other = await serveSdk2();
    const gate = await listen((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(307, { location: other.endpoint }).end();
    });
    const options = { endpoint: gate.endpoint, headers: { Authorization: 'Bearer abcdefgh' } };
    expect((await start(options)).messages[0]).toContain('CON-002');
    expect(other.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    const result = await start({ ...options, privateOrigins: [other.origin] });
    expect(result).toMatchObject({ status: true, categories: { hasTools: true } });
    expect(headers).toContain('Bearer abcdefgh');
  });

  it('with a status that turns a POST into a GET is not followed, and is reported', async () => {
    const other = await serveSdk2();
    const gate = await listen((_, response) => void response.writeHead(302, { location: other.endpoint }).end());
    const { messages } = await start({ endpoint: gate.endpoint, privateOrigins: [other.origin] });
    expect(messages[0]).toMatch(/^CON-004 connect: .* with HTTP 302 to .* only 307 and 308/);
  });

  it('does not get the headers', async () => {
    const seen: unknown[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(500).end();
    });
    const gate = await listen((_, response) => void response.writeHead(308, { location: other.endpoint }).end());
    await start({
      endpoint: gate.endpoint,
      headers: { Authorization: 'Bearer abcdefgh' },
      privateOrigins: [other.origin],
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((header) => header === undefined)).toBe(true);
  });
});
