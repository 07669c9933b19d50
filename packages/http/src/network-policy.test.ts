import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NetworkPolicy, policyJudge } from './network-policy.ts';

function judge(address: string, policy: NetworkPolicy = {}): string {
  const url = new URL(address);
  return policyJudge(policy)(url, url.origin);
}

describe('policyJudge', () => {
  it('limits a name to public addresses', () => {
    expect(judge('https://api.example.com/x')).toBe('public-addresses');
  });

  it('blocks loopback in every spelling that the URL standard knows', () => {
    const octet = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255));
    fc.assert(
      fc.property(octet, fc.constantFrom('http', 'https'), ([b, c, d], scheme) => {
        for (const host of spellings([127, b, c, d]))
          expect([host, judge(`${scheme}://${host}/`)]).toEqual([host, 'ADDRESS_BLOCKED']);
      }),
    );
  });

  it.each([
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '0',
    '169.254.169.254',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
  ])('blocks %s', (host) => {
    expect(judge(`http://${host}/`)).toBe('ADDRESS_BLOCKED');
  });

  it('allows any address to an approved origin, and only to that one', () => {
    const policy = { privateOrigins: ['http://127.0.0.1:3000', 'https://intranet.example.com'] };
    expect(judge('http://127.0.0.1:3000/a?b', policy)).toBe('any-address');
    expect(judge('http://2130706433:3000/', policy)).toBe('any-address');
    expect(judge('https://INTRANET.example.com:443/', policy)).toBe('any-address');
    expect(judge('http://127.0.0.1:3001/', policy)).toBe('ADDRESS_BLOCKED');
    expect(judge('https://127.0.0.1:3000/', policy)).toBe('ADDRESS_BLOCKED');
    expect(judge('http://intranet.example.com/', policy)).toBe('public-addresses');
  });

  it('allows only the allowed origins', () => {
    const policy = { allowedOrigins: ['https://api.example.com', 'http://localhost:8080'] };
    expect(judge('https://api.example.com/', policy)).toBe('public-addresses');
    expect(judge('https://api.example.com:444/', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('http://api.example.com/', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('https://api.example.com./', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('https://evil.com/https://api.example.com', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('http://localhost:8080/', policy)).toBe('public-addresses');
  });

  it('allows nothing if the list of allowed origins is empty', () => {
    expect(judge('https://api.example.com/', { allowedOrigins: [] })).toBe('ORIGIN_BLOCKED');
  });

  it('treats a star as exactly one label', () => {
    const policy = { allowedOrigins: ['https://*.g.example.com'] };
    expect(judge('https://eth.g.example.com/v2', policy)).toBe('public-addresses');
    expect(judge('https://g.example.com/', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('https://a.b.g.example.com/', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('https://eth.g.example.com.evil.com/', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('http://eth.g.example.com/', policy)).toBe('ORIGIN_BLOCKED');
    expect(judge('https://eth.g.example.com:8443/', policy)).toBe('ORIGIN_BLOCKED');
  });

  it('never treats a star as a part of an address', () => {
    expect(judge('http://8.8.8.8/', { allowedOrigins: ['http://*.*.*.*'] })).toBe('ORIGIN_BLOCKED');
    expect(judge('http://[2606:4700::1111]/', { allowedOrigins: ['http://*'] })).toBe('ORIGIN_BLOCKED');
  });

  it.each([
    'example.com',
    'https://example.com/path',
    'ftp://example.com',
    'https://u:p@example.com',
    '',
    'https://example.com?x',
  ])('refuses the policy entry %j', (origin) => {
    expect(() => judge('https://example.com', { privateOrigins: [origin] })).toThrow(/^INVALID_POLICY/);
    expect(() => judge('https://example.com', { allowedOrigins: [origin] })).toThrow(/^INVALID_POLICY/);
  });

  it('returns the same verdicts for more origins than it caches', () => {
    const policy = { privateOrigins: ['http://127.0.0.1:1'] };
    for (let port = 1; port < 2500; port++) {
      expect(judge(`http://127.0.0.1:${port}`, policy)).toBe(port === 1 ? 'any-address' : 'ADDRESS_BLOCKED');
    }
    expect(judge('http://127.0.0.1:1', policy)).toBe('any-address');
  });
});

function spellings([a, b, c, d]: [number, number, number, number]): string[] {
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (n: number): string => `0x${n.toString(16)}`;
  const octal = (n: number): string => `0${n.toString(8)}`;
  return [
    `${a}.${b}.${c}.${d}`,
    `${number}`,
    hex(number),
    octal(number),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    `${hex(a)}.${octal(b)}.${c}.${d}.`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
  ];
}
