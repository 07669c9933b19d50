import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownOrigin, shownUrl } from './request-watch.ts';

const shown = (url: string, ...secrets: string[]) => shownUrl(new URL(url), secrets);

describe('a URL as it is shown', () => {
  it('is the URL if nothing in it is secret', () => {
    const url = 'https://api.example.com:8443/a/b?x=1&y=two%20words';
    expect(shown(url, 'another-secret')).toBe(url);
  });

  it('shows neither values of the query nor segments of the path that contain a secret', () => {
    expect(shown('https://a.example/v1/s3cr3t-key/x?key=s3cr3t-key&q=1', 's3cr3t-key')).toBe(
      'https://a.example/v1/[REDACTED]/x?key=[REDACTED]&q=1',
    );
    expect(shown('https://a.example/?auth=Bearer%20s3cr3t%2Fkey', 's3cr3t/key')).toBe(
      'https://a.example/?auth=[REDACTED]',
    );
    expect(shown('https://a.example/?key=abc&other=1', 'abc')).toBe('https://a.example/?key=[REDACTED]&other=1');
    expect(shown('https://a.example/?s3cr3t-key', 's3cr3t-key')).toBe('https://a.example/?[REDACTED]');
  });

  it('shows no signatures', () => {
    expect(shown('https://a.example/?Signature=abc&X-Amz-Signature=d&q=1')).toBe(
      'https://a.example/?Signature=[REDACTED]&X-Amz-Signature=[REDACTED]&q=1',
    );
  });

  it('shows no part of a host that is secret', () => {
    expect(shownOrigin(new URL('https://acme-corp.api.example.com'), ['Acme-Corp'])).toBe(
      'https://[REDACTED].api.example.com',
    );
    expect(shownOrigin(new URL('https://abc.example.com:444'), ['abc'])).toBe('https://[REDACTED].example.com:444');
  });

  it('never contains a secret, at any position', () => {
    const secret = fc.stringMatching(/^[a-zA-Z0-9/+=&?% -]{3,20}$/).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(secret, fc.constantFrom('path', 'query', 'value'), (text, place) => {
        const part = encodeURIComponent(text);
        const url = place === 'path' ? `/p/${part}/z` : place === 'query' ? `/?${part}` : `/?q=1&k=x${part}x`;
        const result = shown(`http://0.test${url}`, text);
        expect(result).toContain('[REDACTED]');
        expect(result.slice('http://0.test'.length)).not.toContain(part);
      }),
    );
  });
});
