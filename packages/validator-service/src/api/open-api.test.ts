import { validate } from '@scalar/openapi-parser';
import { expect, it } from 'vitest';
import { serve } from '../../fixtures/service.ts';

it('describes every path of the API, in OpenAPI 3.1', async () => {
  const { request } = await serve({ publicUrl: 'https://check.example.com' });
  const { json, headers } = await request('/openapi.json');
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(await validate(json)).toMatchObject({ valid: true, version: '3.1' });
  expect(json.servers).toEqual([{ url: 'https://check.example.com' }]);
  const operations = Object.entries(json.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]) => {
      expect(operation).toMatchObject({ summary: expect.any(String), responses: { '4XX': expect.anything() } });
      return `${method} ${path}`;
    }),
  );
  expect(operations.sort()).toEqual([
    'delete /api/reports/{id}',
    'get /api/assess/stream',
    'get /api/reports/{id}',
    'get /api/reports/{id}/sarif',
    'post /api/assess',
    'post /api/compare',
    'post /api/lookup',
    'post /api/validate',
  ]);
});

it('has a page that shows it without any script or request', async () => {
  const { request } = await serve();
  const { text, headers } = await request('/openapi');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/);
  expect(text).toContain('<code>POST /api/assess</code>');
  expect(text).not.toMatch(/<script|https?:\/\/[^ ]+\.(?:js|css)/);
});
