import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { searchDocument } from './document-parts.ts';
import { documentOf, openFolder } from './fixtures/places.ts';
import { type DocumentCall, readDocument } from './read-document.ts';

const text = `# Guide

Intro to the limits.

## Limits ##

Ten calls a minute.

### Burst

Twenty.

\`\`\`sh
# not a heading
\`\`\`

~~~
## Limits
~~~

## Errors

The last section.
`;

const folder = openFolder();
afterAll(() => folder.remove());
writeFileSync(join(folder.path, 'guide.md'), `\ufeff${text}`);
const resource = documentOf({ origin: 'inline', name: 'guide.md' });

function read(params?: unknown, more: Partial<DocumentCall> = {}) {
  return readDocument({ resource, params, schemaFile: join(folder.path, 'schema.mjs'), ...more });
}

test('a document is read as a whole', async () => {
  expect(await read()).toEqual({ status: true, findings: [], data: text });
});

describe('a section', () => {
  test.each([
    ['Errors', '## Errors\n\nThe last section.'],
    ['## Errors', '## Errors\n\nThe last section.'],
    ['burst', '### Burst\n\nTwenty.\n\n```sh\n# not a heading\n```\n\n~~~\n## Limits\n~~~'],
  ])('%s', async (section, data) => {
    expect((await read({ section })).data).toBe(data);
  });

  test('ends at the next heading of its level or a higher one', async () => {
    const { data } = await read({ section: 'Limits' });
    expect(data).toMatch(/^## Limits ##\n\nTen calls[\s\S]*~~~$/);
    expect((await read({ section: 'Guide' })).data).toBe(text.trimEnd());
  });

  test('with a repeated title is found by its number', async () => {
    const twice = '# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n\n## Notes\n\nthree\n\n## Other (2)\n\nfour\n';
    writeFileSync(join(folder.path, 'twice.md'), twice);
    const other = documentOf({ origin: 'inline', name: 'twice.md' });
    const sectionOf = async (section: string) => (await read({ section }, { resource: other })).data;
    expect(await sectionOf('Notes')).toBe('## Notes\n\none');
    expect(await sectionOf('Notes (2)')).toBe('## Notes\n\ntwo');
    expect(await sectionOf('## notes (3)')).toBe('## Notes\n\nthree');
    expect(await sectionOf('Other (2)')).toBe('## Other (2)\n\nfour');
    expect(await read({ section: 'none' }, { resource: other })).toMatchObject({
      findings: [{ hint: 'Its sections: A, Notes, B, Notes (2), Notes (3), Other (2).' }],
    });
  });

  test('that does not exist gets a list of sections', async () => {
    expect(await read({ section: 'not a heading' })).toMatchObject({
      status: false,
      data: null,
      findings: [{ code: 'DOCUMENT_PART_UNKNOWN', hint: 'Its sections: Guide, Limits, Burst, Errors.' }],
    });
    expect(await read({ section: 'Limit' })).toMatchObject({ findings: [{ hint: 'Did you mean Limits?' }] });
  });
});

describe('lines', () => {
  test.each([
    ['1-3', '# Guide\n\nIntro to the limits.'],
    ['3', 'Intro to the limits.'],
    [' 23 - 999 ', 'The last section.'],
  ])('%s', async (lines, data) => {
    expect((await read({ lines })).data).toBe(data);
  });

  test.each([
    ['0-3', 'DOCUMENT_PART_INVALID'],
    ['5-3', 'DOCUMENT_PART_INVALID'],
    ['a-b', 'DOCUMENT_PART_INVALID'],
    ['-3', 'DOCUMENT_PART_INVALID'],
    ['24-30', 'DOCUMENT_PART_UNKNOWN'],
  ])('%s is no part of it', async (lines, code) => {
    expect(await read({ lines })).toMatchObject({ status: false, findings: [{ code }] });
  });
});

describe('a search', () => {
  test('returns the lines around each match, in any letter case', async () => {
    expect((await read({ search: 'TWENTY' })).data).toEqual([
      { lines: '9-13', content: '### Burst\n\nTwenty.\n\n```sh' },
    ]);
  });

  test('joins passages that touch', async () => {
    expect((await read({ search: 'limits' })).data).toMatchObject([{ lines: '1-7' }, { lines: '16-20' }]);
  });

  test('without a match returns nothing', async () => {
    expect(await read({ search: 'nowhere' })).toMatchObject({ status: true, data: [] });
  });

  test('returns each matching line once, and passages in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'needle', 'x Needle y'), { minLength: 1, maxLength: 40 }),
        (lines) => {
          const passages = searchDocument(lines.join('\n'), 'needle');
          const numbers = passages.flatMap((passage) => {
            const [from = 0, to = 0] = passage.lines.split('-').map(Number);
            expect(passage.content).toBe(lines.slice(from - 1, to).join('\n'));
            return Array.from({ length: to - from + 1 }, (_, index) => from + index);
          });
          expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
          const wanted = lines.flatMap((line, index) => (/needle/i.test(line) ? [index + 1] : []));
          expect(numbers).toEqual(expect.arrayContaining(wanted));
          for (const number of numbers) expect(wanted.some((near) => Math.abs(near - number) <= 2)).toBe(true);
        },
      ),
    );
  });
});

describe('failures', () => {
  test('two parts at a time', async () => {
    expect(await read({ section: 'Limits', lines: '1-2' })).toMatchObject({
      findings: [{ code: 'DOCUMENT_PART_INVALID', message: 'Only one of section, lines can be requested at a time' }],
    });
  });

  test('arguments that are wrong', async () => {
    expect(await read({ sektion: 'Limits' })).toMatchObject({ findings: [{ code: 'INP006' }] });
  });

  test('a file that is missing', async () => {
    const { findings } = await read({}, { resource: documentOf({ origin: 'inline', name: 'other.md' }) });
    expect(findings).toMatchObject([{ code: 'FILE_MISSING', message: expect.stringContaining('document "other.md"') }]);
  });

  test('a file that is too large', async () => {
    expect(await read({}, { maxBytes: 10 })).toMatchObject({ findings: [{ code: 'DOCUMENT_UNREADABLE' }] });
  });
});

describe('a document on the web', () => {
  const url = 'https://example.com/guide.md';
  const web = documentOf({ source: 'http', url });

  test('is fetched by the caller', async () => {
    const urls: string[] = [];
    const fetchText = async (wanted: string) => {
      urls.push(wanted);
      return text;
    };
    expect((await read({ section: 'Errors' }, { resource: web, fetchText })).data).toBe(
      '## Errors\n\nThe last section.',
    );
    expect(urls).toEqual([url]);
  });

  test('that cannot be fetched is a failure with its cause', async () => {
    const error = Object.assign(new Error('HTTP 404'), { hint: 'Check the url.' });
    expect(await read({}, { resource: web, fetchText: () => Promise.reject(error) })).toMatchObject({
      status: false,
      findings: [{ code: 'DOCUMENT_UNREADABLE', message: `Failed to read ${url}: HTTP 404`, hint: 'Check the url.' }],
    });
    expect(await read({}, { resource: web })).toMatchObject({ findings: [{ code: 'DOCUMENT_UNREADABLE' }] });
  });
});
