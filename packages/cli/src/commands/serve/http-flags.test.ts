import { expect, test } from 'vitest';
import { reachableUrl } from './http-flags.ts';

test('the URL of a server that listens on all interfaces has an address of this machine', () => {
  for (const url of ['http://0.0.0.0:3000', 'http://[::]:3000']) {
    const { hostname, port } = new URL(reachableUrl(url, { allowedHosts: 'any' }));
    expect(hostname).toMatch(/^[1-9]\d*(\.\d+){3}$/);
    expect(port).toBe('3000');
  }
});

test('the URL has an accepted host name', () => {
  const url = 'https://127.0.0.1:3000';
  expect(reachableUrl(url, {})).toBe(url);
  expect(reachableUrl(url, { allowedHosts: ['a.example', '127.0.0.1'] })).toBe(url);
  expect(reachableUrl(url, { allowedHosts: ['a.example'] })).toBe('https://a.example:3000');
});
