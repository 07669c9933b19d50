import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber } from './scrubber.ts';

const secretText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 6, maxLength: 40 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 }),
  )
  // Ends are trimmed, and a secret that the mask itself contains cannot be masked.
  .filter((secret) => secret.trim() === secret && secret.length >= 6 && !'[REDACTED]'.includes(secret));
const times = (count: number, spell: (text: string) => string) => (text: string) =>
  Array.from({ length: count }).reduce<string>((spelled) => spell(spelled), text);
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? '&#39;');
const surrounding = fc.string({ unit: 'binary', maxLength: 30 });

/** How a secret is spelled inside a longer text. */
const spellings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  encodeURIComponent,
  'encodeURIComponent, small letters': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'form field': (text) => new URLSearchParams({ k: text }).toString().slice(2),
  'encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'every byte percent-encoded unless alphanumeric': (text) =>
    [...text]
      .map((c) =>
        /[A-Za-z0-9]/.test(c) ? c : [...Buffer.from(c)].map((b) => `%${b.toString(16).padStart(2, '0')}`).join(''),
      )
      .join(''),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'JSON with escaped slashes': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON in ASCII': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[\u007f-\uffff<>&]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON, four times': times(4, json),
  'HTML and XML': html,
  'HTML, twice': times(2, html),
  'HTML in JSON in ASCII': (text) => json(html(text)).replaceAll('&', '\\u0026'),
  'HTML in a form': (text) => encodeURIComponent(html(text)),
  'HTML by number': (text) => text.replace(/[^A-Za-z0-9]/gsu, (c) => `&#x${c.codePointAt(0)?.toString(16)};`),
  'HTML by decimal number': (text) => text.replace(/./gsu, (c) => `&#0${c.codePointAt(0)};`),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex, capital letters': (text) => Buffer.from(text).toString('hex').toUpperCase(),
};

describe('createScrubber', () => {
  it.each<[string, (text: string) => string]>([
    ['capitals', (text) => text.toUpperCase()],
    ['small letters', (text) => text.toLowerCase()],
    ['capitals, URL-encoded', (text) => encodeURIComponent(text.toUpperCase())],
  ])('masks a secret in %s', (_name, spell) => {
    expect(createScrubber(['sK-l1ve/Ä9'], '#')(`x ${spell('sK-l1ve/Ä9')} y`)).toBe('x # y');
  });

  it('masks a secret with a line break of its own in HTML', () => {
    const scrub = createScrubber(['a+\rA    "'], '#');
    expect(scrub('x a+\rA    &quot; y')).toBe('x # y');
  });

  it('masks a secret with a line break of its own in JSON, four times', () => {
    const secret = '\u0000\u0000\n1a\u0000';
    expect(createScrubber([secret], '#')(`x ${times(4, json)(secret)} y`)).toBe('x # y');
  });

  it('masks a secret that ends with a backslash, before a letter that makes a line break of it', () => {
    const secret = '!&  +\\';
    const spell = spellings['HTML in JSON in ASCII'] ?? String;
    expect(createScrubber([secret], '#')(`x ${spell(secret)}rA y`)).toBe('x #rA y');
  });

  it.each(Object.entries(spellings))('masks every secret: %s', (_name, spell) => {
    fc.assert(
      fc.property(surrounding, secretText, surrounding, (before, secret, after) => {
        const scrubbed = createScrubber([secret], '#')(spell(before) + spell(secret) + spell(after));
        expect(scrubbed).not.toContain(spell(secret));
        expect(scrubbed).toContain('#');
      }),
    );
  });

  it.each(['base64', 'base64url'] as const)('masks every secret: %s at any offset', (encoding) => {
    fc.assert(
      fc.property(surrounding, secretText, surrounding, (before, secret, after) => {
        const encoded = Buffer.from(before + secret + after).toString(encoding);
        const scrubbed = createScrubber([secret], '#')(`x=${encoded}&y=${encodeURIComponent(encoded)}`);
        for (const piece of decodeURIComponent(scrubbed).split(/[^A-Za-z0-9+/_-]/)) {
          for (const offset of [0, 1, 2, 3])
            expect(Buffer.from(piece.slice(offset), 'base64').includes(secret)).toBe(false);
        }
        expect(scrubbed.match(/#/g)?.length).toBeGreaterThanOrEqual(2);
      }),
    );
  });

  it.each([
    ['', (lines: string) => lines],
    [' in JSON', json],
    [' in a form', encodeURIComponent],
  ])('masks every secret: base64 in lines%s', (_name, spell) => {
    fc.assert(
      fc.property(surrounding, secretText, surrounding, (before, secret, after) => {
        const lines = Buffer.from(before + secret + after)
          .toString('base64')
          .replace(/.{16}(?=.)/g, '$&\r\n');
        expect(createScrubber([secret], '#')(spell(lines))).toContain('#');
      }),
    );
  });

  it('keeps what is around an escaped secret', () => {
    const scrub = createScrubber(['a<b&c>d"e', 'line-one-two'], '#');
    expect(scrub('<p>&lt;&amp;a&lt;b&amp;c&gt;d&quot;e&gt; &amp; a&#60;b&#38;c&#62;d&#34;e.</p>')).toBe(
      '<p>&lt;&amp;#&gt; &amp; #.</p>',
    );
    const base64 = Buffer.from('x line-one-two y').toString('base64');
    expect(scrub(`one\ntwo ${base64.slice(0, 8)}\n${base64.slice(8)} three`)).toMatch(/^one\ntwo [\w=]+#[\w=]+ three$/);
  });

  it('finds basic authentication', () => {
    const header = Buffer.from('user:correct horse').toString('base64');
    expect(createScrubber(['correct horse'])(`authorization: Basic ${header}`)).not.toContain(header.slice(-8));
  });

  it('finds a secret with accents after `btoa`', () => {
    expect(createScrubber(['clé-secrète'])(btoa('clé-secrète'))).toContain('[REDACTED]');
  });

  it('does not change text without secrets', () => {
    const lower = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz {}":,/+%\\=_-0123456789é'),
      maxLength: 300,
    });
    const upper = fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'), minLength: 6, maxLength: 20 });
    fc.assert(
      fc.property(lower, fc.array(upper, { maxLength: 4 }), (text, secrets) => {
        expect(createScrubber(secrets)(text)).toBe(text);
      }),
    );
  });

  it('keeps the text around a secret', () => {
    const scrub = createScrubber(['s3cr3t/key']);
    expect(scrub('GET /?key=s3cr3t%2Fkey&q=1')).toBe('GET /?key=[REDACTED]&q=1');
    expect(scrub('{"a":"s3cr3t\\/key","b":"s3cr3t/key"}')).toBe('{"a":"[REDACTED]","b":"[REDACTED]"}');
  });

  it('masks secrets that overlap or contain one another', () => {
    expect(createScrubber(['abcdef', 'defghi'], '#')('xabcdefghix')).toBe('x#x');
    expect(createScrubber(['abcdef', 'abcdefghi'], '#')('xabcdefghix')).toBe('x#x');
    expect(createScrubber(['cdefgh', 'abcdefghij'], '#')('xabcdefghijx cdefgh')).toBe('x#x #');
  });

  it('finds a secret that was given with white space around it', () => {
    expect(createScrubber(['  s3cr3t-key\n'], '#')('key=s3cr3t-key;')).toBe('key=#;');
  });

  it('ignores secrets of fewer than 6 characters', () => {
    expect(createScrubber(['12345', '', ' a '], '#')('12345 a')).toBe('12345 a');
  });

  it('inserts the mask as it is, not as a replacement pattern', () => {
    expect(createScrubber(['s3cr3t-key'], '$&')('s3cr3t-key')).toBe('$&');
  });

  it('treats characters of regular expressions literally', () => {
    const secret = ['.*+?^$', '{}()|[]\\/'].join('');
    expect(createScrubber([secret], '#')(`a${secret}b`)).toBe('a#b');
    expect(createScrubber([secret], '#')('anything else')).toBe('anything else');
  });

  it('stays fast on hostile text', () => {
    const scrub = createScrubber(['\\\\"\\/\\\\"\\', '"quoted"', '      ', '%%%%%%%', '\\\\\\\\\\\\\\\\']);
    const start = process.cpuUsage();
    for (const unit of ['\\', '%25', '%', '\\\\"', ' ', '+', '\\u005c', '&amp;', '&#', '\n', 'a\\r'])
      scrub(unit.repeat(100_000));
    expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
  });
});
