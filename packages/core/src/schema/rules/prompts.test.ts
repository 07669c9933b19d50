import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { ruleReport } from '../rule-report.ts';
import { parsePrompts } from './prompts.ts';

function read(prompts: unknown) {
  const findings: Finding[] = [];
  const main = { namespace: 'shop', prompts };
  const definitions = parsePrompts(
    main,
    ruleReport((finding) => findings.push(finding)),
  );
  return { definitions, codes: findings.map(({ code, severity, path }) => `${code} ${severity} ${path}`) };
}

const contentFile = './prompts/about.mjs';
const about = { contentFile };

describe('prompts in main', () => {
  test('may be missing', () => expect(read(undefined)).toEqual({ definitions: [], codes: [] }));

  test('need only their file', () => {
    expect(read({ about })).toEqual({
      definitions: [{ name: 'about', kind: 'prompt', path: 'main.prompts.about', source: { file: contentFile } }],
      codes: [],
    });
  });

  test('may have more fields', () => {
    const full = {
      name: 'about',
      version: 'flowmcp-prompt/1.0.0',
      namespace: 'shop',
      description: 'The shop',
      dependsOn: ['find'],
      references: ['coins/prompt/about'],
      contentFile,
    };
    const { definitions, codes } = read({ about: full });
    expect(codes).toEqual([]);
    expect(definitions).toMatchObject([
      { description: 'The shop', dependsOn: ['find'], references: ['coins/prompt/about'] },
    ]);
  });

  test.each([
    [[about], 'PRM016 error main.prompts'],
    [{ about: 'text' }, 'PRM016 error main.prompts.about'],
    [{ about: {} }, 'PRM011 error main.prompts.about.contentFile'],
    [{ about: { contentFile: '../about.mjs' } }, 'PRM011 error main.prompts.about.contentFile'],
    [{ about: { contentFile: '/about.mjs' } }, 'PRM011 error main.prompts.about.contentFile'],
    [{ about: { contentFile: 'about.md' } }, 'PRM011 error main.prompts.about.contentFile'],
  ])('%j is refused', (prompts, code) => expect(read(prompts)).toEqual({ definitions: [], codes: [code] }));

  test.each([
    [{ name: 'other' }, 'PRM001 warning main.prompts.about.name'],
    [{ version: '1.0.0' }, 'PRM002 warning main.prompts.about.version'],
    [{ namespace: 'coins' }, 'PRM003 warning main.prompts.about.namespace'],
    [{ agent: 'trader' }, 'PRM003 warning main.prompts.about.agent'],
    [{ testedWith: 'a/b' }, 'PRM004 warning main.prompts.about.testedWith'],
    [{ dependsOn: 'find' }, 'PRM013 warning main.prompts.about.dependsOn'],
    [{ references: [1] }, 'PRM013 warning main.prompts.about.references'],
    [{ content: 'text' }, 'PRM010 warning main.prompts.about.content'],
    [{ colour: 'red' }, 'VAL003 warning main.prompts.about.colour'],
  ])('%j is read with a warning', (more, code) => {
    const { definitions, codes } = read({ about: { ...about, ...more } });
    expect(definitions).toMatchObject([{ name: 'about', source: { file: contentFile } }]);
    expect(codes).toEqual([code]);
  });

  test('may have their text in main, with a warning', () => {
    const { definitions, codes } = read({ about: { content: 'The shop' } });
    expect(definitions).toMatchObject([{ source: { content: 'The shop' } }]);
    expect(codes).toEqual(['PRM010 warning main.prompts.about.content']);
  });

  test('without one named about get a note', () => {
    expect(read({}).codes).toEqual([]);
    expect(read({ prices: about }).codes).toEqual(['PRM015 info main.prompts']);
    expect(read({ about, 'price-list': about }).codes).toEqual(['PRM001 warning main.prompts["price-list"]']);
  });

  test('more than five are a warning', () => {
    const prompts = (count: number) =>
      Object.fromEntries(['about', 'b', 'c', 'd', 'e', 'f'].slice(0, count).map((name) => [name, about]));
    expect(read(prompts(5)).codes).toEqual([]);
    expect(read(prompts(6))).toMatchObject({ definitions: { length: 6 }, codes: ['PRM012 warning main.prompts'] });
  });

  test('keep names of inherited members', () => {
    const prompts = JSON.parse(`{"constructor":{"contentFile":"a.mjs"},"__proto__":{"contentFile":"a.mjs"}}`);
    expect(read(prompts).definitions.map(({ name }) => name)).toEqual(['constructor', '__proto__']);
  });
});
