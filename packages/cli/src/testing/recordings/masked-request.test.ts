import { createScrubber } from '@schemakit/http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskRequest } from './masked-request.ts';
import { mask } from './recording.ts';

const secret = 's3cr3t/key+1 ü';
const scrub = createScrubber([secret], mask);
const get = (parts: Partial<Parameters<typeof maskRequest>[0]>) =>
  maskRequest({ url: 'https://api.example.com/', method: 'get', ...parts }, scrub);

test.each([
  ['plain', secret],
  ['URL-encoded', encodeURIComponent(secret)],
  ['as forms encode', new URLSearchParams({ k: secret }).toString().slice(2)],
  ['base64', Buffer.from(secret).toString('base64')],
  ['base64 with something around it', Buffer.from(`user:${secret}:end`).toString('base64')],
  ['base64url', Buffer.from(secret).toString('base64url')],
  ['hexadecimal', Buffer.from(secret).toString('hex')],
])('a part with a secret in it, %s, is masked as a whole', (_, written) => {
  expect(get({ url: `https://api.example.com/v1?a=1&k=${written.replaceAll('&', '%26')}&b=2` }).url).toBe(
    `https://api.example.com/v1?a=1&k=${mask}&b=2`,
  );
  expect(get({ headers: { 'X-Own': `Basic ${written}` } }).headers).toEqual({ 'x-own': mask });
  const body = JSON.stringify({ a: 1, deep: [{ k: `x ${written}` }] });
  expect(get({ body }).body).toEqual({ json: { a: 1, deep: [{ k: mask }] } });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  expect(get({ headers, body: `a=1&k=${written}` }).body).toEqual({ text: [`a=1&k=${mask}`] });
});

test('computed credentials are masked by the names of their headers', () => {
  const headers = {
    Authorization: 'HMAC 123',
    Cookie: 'a=b',
    'X-Api-Key': 'k',
    'X-Signature': 's',
    Accept: 'text/csv',
  };
  expect(get({ headers }).headers).toEqual({
    accept: 'text/csv',
    authorization: mask,
    cookie: mask,
    'x-api-key': mask,
    'x-signature': mask,
  });
});

test('a secret in the host and in the path leaves the rest readable', () => {
  const own = createScrubber(['tenant-7', 'pathsecret'], mask);
  const url = 'https://tenant-7.example.com:8443/v1/pathsecret/list?x=';
  expect(maskRequest({ url, method: 'GET' }, own).url).toBe(`https://${mask}.example.com:8443/v1/${mask}/list?x=`);
});

test('a masked request does not depend on the secret', () => {
  const url = (key: string) =>
    `https://api.example.com/${encodeURIComponent(key)}?k=${encodeURIComponent(key)}&b=${encodeURIComponent(Buffer.from(`u:${key}:x`).toString('base64'))}`;
  const shape = (key: string) =>
    maskRequest(
      { url: url(key), method: 'POST', headers: { 'X-Own': `a ${key}` }, body: JSON.stringify({ key: `${key}!` }) },
      createScrubber([key], mask),
    );
  const key = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(key, (text) => {
      // A key that is in the address by chance masks more than itself.
      fc.pre(!'https://api.example.com/?k=&b=application/json'.includes(text));
      expect(shape(text)).toEqual(shape('another-secret-key'));
    }),
  );
});
