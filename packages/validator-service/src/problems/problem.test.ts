import { get, type IncomingMessage } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { serve } from '../../fixtures/service.ts';
import { toProblem } from './problem.ts';

const json = { 'content-type': 'application/json' };

it('answers each refusal with a problem that says what is wrong, where, and what to do', async () => {
  const service = await serve();
  const cases: [string, RequestInit, number, { code: string; path?: string; message?: RegExp }][] = [
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{}' },
      400,
      { code: 'SVC010', path: 'body.url', message: /missing/ },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"url":"http://x","time":1}' },
      400,
      { code: 'SVC010', path: 'body.time', message: /unknown/ },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"url":"http://x","timeout":60001}' },
      400,
      { code: 'SVC010', path: 'body.timeout', message: /60000/ },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"url":"http://x","layers":["dns"]}' },
      400,
      { code: 'SVC010', path: 'body.layers.0', message: /http, mcp/ },
    ],
    ['/api/assess', { method: 'POST', headers: json, body: '{"url":7}' }, 400, { code: 'SVC010', path: 'body.url' }],
    ['/api/assess', { method: 'POST', headers: json, body: '{' }, 400, { code: 'SVC011' }],
    ['/api/assess', { method: 'POST', headers: json, body: '' }, 400, { code: 'SVC011', message: /empty/ }],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"__proto__":{}}' },
      400,
      { code: 'SVC011', message: /__proto__/ },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"url":"nonsense"}' },
      400,
      { code: 'ASM-004', path: 'body.url' },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"url":"ftp://example.com"}' },
      400,
      { code: 'ASM-004', path: 'body.url' },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: json, body: '{"url":"http://u:p@example.com"}' },
      400,
      { code: 'ASM-004' },
    ],
    [
      '/api/lookup',
      { method: 'POST', headers: json, body: '{"agentId":1,"chainId":"moon"}' },
      400,
      { code: 'ASM-018', path: 'body.chainId' },
    ],
    ['/api/assess/stream', {}, 400, { code: 'SVC010', path: 'query.url' }],
    ['/api/none', {}, 404, { code: 'SVC030' }],
    ['/api/reports/none', {}, 404, { code: 'SVC031', path: 'params.id' }],
    [
      '/api/compare',
      { method: 'POST', headers: json, body: '{"before":"x","after":"x"}' },
      404,
      { code: 'SVC031', path: 'body.before' },
    ],
    ['/api/assess', {}, 405, { code: 'SVC032', message: /POST/ }],
    ['/api/reports/none', { method: 'PUT' }, 405, { code: 'SVC032', message: /GET, DELETE/ }],
    ['/check', {}, 405, { code: 'SVC032' }],
    ['/', { method: 'DELETE' }, 405, { code: 'SVC032' }],
    ['/api/assess', { method: 'POST', headers: json, body: `"${'x'.repeat(65 * 1024)}"` }, 413, { code: 'SVC040' }],
    ['/api/compare', { method: 'POST', headers: json, body: `"${'x'.repeat(4100 * 1024)}"` }, 413, { code: 'SVC040' }],
    ['/api/assess', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }, 415, { code: 'SVC041' }],
    ['/api/assess', { method: 'POST', body: new URLSearchParams({ url: 'http://x' }) }, 415, { code: 'SVC041' }],
    [
      '/api/assess',
      { method: 'POST', headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      415,
      { code: 'SVC041' },
    ],
    [
      '/api/assess',
      { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' },
      415,
      { code: 'SVC041' },
    ],
    [`/badge/${'x'.repeat(3000)}.svg`, {}, 400, { code: 'SVC011' }],
  ];
  for (const [path, init, status, { message = /./, ...finding }] of cases) {
    const { headers, text, ...answer } = await service.request(path, init);
    expect(headers.get('content-type'), text).toMatch(/^application\/problem\+json/);
    expect(answer, `${init.method} ${path}`).toMatchObject({
      status,
      json: {
        type: 'about:blank',
        title: expect.any(String),
        status,
        detail: expect.stringMatching(message),
        findings: [{ severity: 'error', hint: expect.any(String), ...finding }],
      },
    });
    if (status === 405) expect(headers.get('allow')).toMatch(/GET|POST/);
  }
});

it('names each fault once, in plain words', async () => {
  const { post } = await serve();
  const cases: [string, object, string[]][] = [
    [
      '/api/compare',
      { before: null, after: [] },
      ['body.before must be a string or an object.', 'body.after must be a string or an object.'],
    ],
    ['/api/compare', { before: 'x'.repeat(65), after: {} }, ['body.before must have at most 64 characters.']],
    [
      '/api/assess',
      { url: '', timeout: 0.5, layers: [], headers: { a: 1 } },
      [
        'body.url must have at least 1 character.',
        'body.timeout must be a whole number.',
        'body.timeout must be 1 or more.',
        'body.headers.a must be a string.',
        'body.layers must have at least 1 item.',
      ],
    ],
    [
      '/api/lookup',
      { agentId: -1, chainId: true, rpcNodes: { BASE: [7], OTHER: 7 } },
      [
        'body.agentId must be 0 or more.',
        'body.chainId must be a whole number or a string.',
        'body.rpcNodes.BASE.0 must be a string.',
        'body.rpcNodes.OTHER must be a string or a list.',
      ],
    ],
  ];
  for (const [path, body, messages] of cases) {
    const { json } = await post(path, body);
    expect(json.findings.map(({ message }: { message: string }) => message)).toEqual(messages);
  }
});

it('takes requests up to the limits', async () => {
  const { post } = await serve();
  const results = { before: { padding: 'x'.repeat(2000 * 1024) }, after: { padding: 'x'.repeat(2000 * 1024) } };
  expect(await post('/api/compare', results)).toMatchObject({ status: 200, json: { status: false } });
});

it('a browser sees a page where there is nothing', async () => {
  const { request } = await serve();
  const headers = { accept: 'text/html,application/xhtml+xml' };
  for (const path of ['/none', '/reports/none']) {
    const answer = await request(path, { headers });
    expect(answer).toMatchObject({ status: 404, text: expect.stringMatching(/^<!doctype html>/i) });
  }
  expect((await request('/api/none', { headers })).json.status).toBe(404);
});

it('a request that no HTTP client would send is answered too', async () => {
  const { url } = await serve();
  const { hostname, port } = new URL(url);
  const response = await new Promise<IncomingMessage>((resolve) =>
    get({ hostname, port, path: '/api/reports/%zz' }, resolve),
  );
  expect(await readJson(response)).toMatchObject({ status: 400, findings: [{ code: 'SVC011' }] });
});

it('an unexpected error says nothing about itself', () => {
  const problem = toProblem(new Error('connect postgres://user:secret@host'));
  expect(problem).toMatchObject({ status: 500, findings: [{ code: 'SVC050' }] });
  expect(JSON.stringify(problem)).not.toContain('secret');
});
