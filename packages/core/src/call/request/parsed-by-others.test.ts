import { Readable } from 'node:stream';
import fc from 'fast-check';
import qs from 'qs';
import { getCookies, Headers, Response } from 'undici';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../schema/json.ts';
import { parseSchema } from '../../schema/parse-schema.ts';
import { mainWith, parameterWith, toolWith } from '../../schema/rules/fixtures/rule-case.ts';
import type { Placement, Tool } from '../../schema/schema.ts';
import { readMultipart } from '../fixtures/parsing-api.ts';
import { planRequest } from '../plan-request.ts';
import { encodeToolBody } from './encode-body.ts';
import { multipartBytes } from './multipart.ts';

const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
const given = text.filter((value) => value !== '');
const word = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((name) => name.isWellFormed() && !/^__proto__$|[[\]]/.test(name));
const reserved = fc.constantFrom(
  'a&b=c',
  'a;b',
  'a,b',
  'a b',
  'a|b',
  'x=1',
  '"\r\n--b',
  '%26',
  '../',
  '#',
  '?',
  '+',
  '€',
);
const value = fc.oneof(given, reserved);

function toolOf(position: object, parts: object = {}, primitive = 'object()'): Tool {
  const kept = parameterWith({ key: 'kept', value: 'mine', location: 'query' });
  const parameters = [parameterWith({ key: 'v', ...position }, { primitive }), kept];
  const tool = parseSchema(mainWith(toolWith({ parameters, ...parts })), () => {})?.tools.get('getThing');
  if (tool === undefined) throw new Error('the tool was not read');
  return tool;
}

/** The query of a request as `qs` reads it; undefined if the value is refused. */
function queryOf(style: object, v: JsonValue): unknown {
  const result = planRequest(toolOf(style), { v }, {});
  if (!result.ok) return undefined;
  return qs.parse(new URL(result.plan.url).search.slice(1), {
    depth: 20,
    arrayLimit: 1000,
    plainObjects: true,
    parameterLimit: 10_000,
  });
}

describe('a query, as qs reads it', () => {
  test('has the items of a list, each once', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), (v) => {
        const read = queryOf({ style: 'form' }, v);
        expect(read).toEqual({ v: v.length === 1 ? v[0] : v, kept: 'mine' });
      }),
    );
  });

  test.each([
    ['form', ','],
    ['spaceDelimited', '%20'],
    ['pipeDelimited', '%7C'],
  ])('has the items of a list of the style %s between its delimiters', (style, delimiter) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 9 }), (v) => {
        const result = planRequest(toolOf({ style, explode: false }), { v }, {});
        const isHidden = style === 'form' || !v.some((item) => item.includes(decodeURIComponent(delimiter)));
        expect(result.ok).toBe(isHidden);
        if (!result.ok) return;
        const [, written = ''] = /\?v=([^&]*)&kept=mine$/.exec(result.plan.url) ?? [];
        const items = written.split(delimiter).map((item) => decodeURIComponent(item.replaceAll('+', ' ')));
        expect(items).toEqual(v);
      }),
    );
  });

  test('has the members of an object as pairs of their own, and never the pair of another parameter', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(word, fc.constant('kept')), value), (v) => {
        const read = queryOf({ style: 'form' }, v);
        expect(read).toEqual(Object.hasOwn(v, 'kept') ? undefined : { ...v, kept: 'mine' });
      }),
    );
  });

  test('has a nested object of the style deepObject', () => {
    const { tree } = fc.letrec<{ tree: JsonValue; leaf: string }>((tie) => ({
      leaf: value,
      tree: fc.dictionary(
        word.filter((name) => !/^\d+$/.test(name)),
        fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('tree')),
        { minKeys: 1, maxKeys: 4 },
      ),
    }));
    fc.assert(
      fc.property(tree, (v) => {
        expect(queryOf({ style: 'deepObject' }, v)).toEqual({ v, kept: 'mine' });
      }),
    );
  });
});

describe('a path', () => {
  test.each([
    ['simple', ''],
    ['label', '.'],
    ['matrix', ';v='],
  ])('of the style %s keeps a list in its segment', (style, prefix) => {
    const tool = toolOf({ location: 'insert', style }, { path: '/a/{{v}}/b' });
    fc.assert(
      fc.property(fc.array(fc.oneof(value, fc.constantFrom('.', '..', '/', '%2e%2e'))), (v) => {
        const result = planRequest(tool, { v }, {});
        if (!result.ok) return;
        const { pathname, search } = new URL(result.plan.url);
        expect([pathname.split('/').length, pathname.startsWith('/a/'), pathname.endsWith('/b'), search]).toEqual([
          4,
          true,
          true,
          '?kept=mine',
        ]);
        const [, , segment = ''] = pathname.split('/');
        expect(segment.startsWith(prefix)).toBe(true);
        const list = segment.slice(prefix.length);
        expect(list === '' ? [] : list.split(',').map(decodeURIComponent)).toEqual(
          v.length === 1 && v[0] === '' ? [] : v,
        );
      }),
    );
  });
});

describe('headers and cookies', () => {
  test('a header is one line with the value, or is refused', () => {
    const tool = toolOf({ key: 'X-V', location: 'header' }, {}, 'string()');
    fc.assert(
      fc.property(fc.oneof(text, value), (v) => {
        const result = planRequest(tool, { 'X-V': v }, {});
        const fits = /^[\t -~\u00a0-\u00ff]*$/.test(v);
        expect(result.ok).toBe(fits);
        if (result.ok) expect(new Headers(result.plan.headers).get('x-v')).toBe(v.replace(/^[\t ]+|[\t ]+$/g, ''));
      }),
    );
  });

  test('cookies are read by undici as they were meant, and none more', () => {
    const parameters = ['one', 'two'].map((key) => parameterWith({ key, location: 'cookie' }));
    const tool = parseSchema(mainWith(toolWith({ parameters })), () => {})?.tools.get('getThing') as Tool;
    fc.assert(
      fc.property(value, value, (one, two) => {
        const result = planRequest(tool, { one, two }, {});
        const cookies = result.ok ? getCookies(new Headers(result.plan.headers)) : {};
        const read = Object.entries(cookies).map(([name, cookie]) => [name, decodeURIComponent(cookie)]);
        expect(read).toEqual([
          ['one', one],
          ['two', two],
        ]);
      }),
    );
  });
});

/** A body parameter, as the rules read it. */
function field(key: string, parts: Partial<Placement> = {}): Placement {
  return { key, location: 'body', value: [{ kind: 'input', name: key }], optional: true, ...parts };
}

describe('a form', () => {
  test('is read by qs as it was meant', () => {
    const placements = [
      field('list', { style: { name: 'form', explode: true } }),
      field('deep', { style: { name: 'deepObject', explode: true } }),
    ];
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 9 }),
        fc.dictionary(
          word.filter((name) => !/^\d+$/.test(name)),
          value,
          { minKeys: 1 },
        ),
        value,
        (list, deep, plain) => {
          const encoded = encodeToolBody({ list, deep, plain }, {}, { encoding: 'form', placements });
          const body = encoded.ok ? String(encoded.body) : '';
          expect(qs.parse(body, { plainObjects: true, parameterLimit: 10_000 })).toEqual({ list, deep, plain });
        },
      ),
    );
  });
});

const bytes = fc.uint8Array({ maxLength: 300 });
const dataUrl = fc.record({
  content: bytes,
  name: given,
  type: fc.constantFrom('image/png', 'text/plain', ''),
});

describe('multipart', () => {
  test('is read by busboy and by undici as it was meant', async () => {
    const placements = [field('photo', { isFile: true }), field('title'), field('meta')];
    await fc.assert(
      fc.asyncProperty(dataUrl, value, fc.dictionary(word, value), async ({ content, name, type }, title, meta) => {
        const photo = `data:${type};name=${encodeURIComponent(name)};base64,${Buffer.from(content).toString('base64')}`;
        const encoded = encodeToolBody({ photo, title, meta }, {}, { encoding: 'multipart', placements });
        if (!encoded.ok || typeof encoded.body === 'string' || encoded.body instanceof Uint8Array)
          throw new Error('no multipart');
        const whole = multipartBytes(encoded.body, (part) => part);
        const headers = { 'content-type': encoded.contentType ?? '' };
        const busboy = await readMultipart(headers, Readable.from([Buffer.from(whole)]));
        expect(busboy.files).toMatchObject([{ name: 'photo', base64: Buffer.from(content).toString('base64') }]);
        expect(busboy.files[0]?.filename).not.toMatch(/[\\/\p{Cc}]/u);
        expect(busboy.fields.map(([key, one]) => [key, one])).toEqual([
          ['title', title],
          ['meta', JSON.stringify(meta)],
        ]);

        const form = await new Response(whole, { headers }).formData();
        expect([...form.keys()]).toEqual(['photo', 'title', 'meta']);
        expect(form.get('title')).toBe(title);
        expect(await (form.get('photo') as unknown as Blob).bytes()).toEqual(content);
      }),
      { numRuns: 60 },
    );
  });

  test.each(['x', 'data:a/b\r\nX-Evil: 1;base64,/wAB', 'data:image/png;base64,*', 'data:image/png', 'data:,%zz'])(
    '%s is no file',
    (photo) => {
      for (const encoding of ['multipart', 'binary'] as const) {
        const encoded = encodeToolBody(
          encoding === 'binary' ? photo : { photo },
          {},
          { encoding, placements: [field('photo', { isFile: true })] },
        );
        expect(encoded).toMatchObject({ ok: false, finding: { code: 'INP013', path: 'photo' } });
      }
    },
  );

  test('a file is sent alone as its bytes and its type', () => {
    const placements = [field('photo', { isFile: true })];
    const encode = (body: string, headers = {}) => encodeToolBody(body, headers, { encoding: 'binary', placements });
    expect(encode('data:image/png;base64,/wAB')).toEqual({
      ok: true,
      body: Buffer.from([255, 0, 1]),
      contentType: 'image/png',
    });
    expect(encode('/wAB')).toMatchObject({ contentType: 'application/octet-stream' });
    expect(encode('/wAB', { 'Content-Type': 'image/jpeg' })).not.toHaveProperty('contentType');
  });

  test('files are refused above 32 MiB together', () => {
    const photo = Buffer.alloc(12 * 1024 * 1024).toString('base64');
    const placements = [field('photo', { isFile: true })];
    const encoded = encodeToolBody({ photo: [photo, photo, photo] }, {}, { encoding: 'multipart', placements });
    expect(encoded).toMatchObject({ ok: false, finding: { code: 'INP014' } });
  });
});
