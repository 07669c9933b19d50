import { createScrubber } from '@schemakit/http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createResponseMask } from './mask-response.ts';

const answer = { url: 'https://api.example/', status: 200, statusText: 'OK', headers: {}, body: Buffer.from('') };
const secret = fc
  .string({ unit: 'binary', minLength: 6, maxLength: 30 })
  .filter((text) => text.trim() === text && text.length >= 6 && text.isWellFormed() && !'[REDACTED]'.includes(text));
const bytes = fc.uint8Array({ maxLength: 30 }).map((array) => Buffer.from(array));

const mask = (value: string) => createResponseMask({ values: [value], scrub: createScrubber([value]) });
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('createResponseMask', () => {
  test.each<[string, (text: string) => Buffer]>([
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
    ['UTF-16 the other way around', swapped],
  ])('lets no secret through in %s, whatever stands around it', (_, encode) => {
    fc.assert(
      fc.property(bytes, secret, bytes, (before, value, after) => {
        fc.pre(!before.includes(encode(value)) && !after.includes(encode(value)));
        const { body } = mask(value)({ ...answer, body: Buffer.concat([before, encode(value), after]) });
        expect(Buffer.from(body).includes(encode(value))).toBe(false);
      }),
    );
  });

  test('does not change bytes without secrets', () => {
    const masked = mask('pässwörd-für-die-Küche');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        expect(Buffer.from(masked({ ...answer, body }).body)).toEqual(Buffer.from(body));
      }),
    );
  });

  test('keeps the text around a secret', () => {
    const { body } = mask('pässwörd')({ ...answer, body: Buffer.from('grün: pässwörd, weiß') });
    expect(Buffer.from(body).toString()).toBe('grün: [REDACTED], weiß');
    const wide = mask('s3cr3t-key')({ ...answer, body: Buffer.from('\ufeffgrün: s3cr3t-key, weiß', 'utf16le') });
    expect(Buffer.from(wide.body).toString('utf16le')).toBe('\ufeffgrün: [REDACTED], weiß');
  });

  test('masks the URL, the status text and the headers, as text and as bytes of UTF-8', () => {
    const value = 'clé-secrète';
    const raw = Buffer.from(value).toString('latin1');
    expect(
      mask(value)({
        ...answer,
        url: `https://api.example/?k=${encodeURIComponent(value)}`,
        statusText: `no ${value}`,
        headers: { 'x-echo': raw, [`x-${Buffer.from(value).toString('hex')}`]: '1' },
      }),
    ).toMatchObject({
      url: 'https://api.example/?k=[REDACTED]',
      statusText: 'no [REDACTED]',
      headers: { 'x-echo': '[REDACTED]', 'x-[REDACTED]': '1' },
    });
  });
});
