import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { ruleReport } from '../rule-report.ts';
import { parseSkills } from './prompts.ts';

function read(skills: unknown) {
  const findings: Finding[] = [];
  const definitions = parseSkills(
    { skills },
    ruleReport((finding) => findings.push(finding)),
  );
  return { definitions, codes: findings.map(({ code, severity, path }) => `${code} ${severity} ${path}`) };
}

const file = './skills/a.mjs';

describe('skills in main', () => {
  test('may be missing', () => expect(read(undefined)).toEqual({ definitions: [], codes: [] }));

  test('are an object by name', () => {
    expect(read({ 'find-places': { file } })).toEqual({
      definitions: [{ name: 'find-places', kind: 'skill', path: 'main.skills["find-places"]', source: { file } }],
      codes: [],
    });
  });

  test('are an array with names', () => {
    const { definitions, codes } = read([{ name: 'find', file, description: 'Find' }]);
    expect(codes).toEqual([]);
    expect(definitions).toEqual([
      { name: 'find', kind: 'skill', path: 'main.skills[0]', source: { file }, description: 'Find' },
    ]);
  });

  test.each([
    ['text', 'SKL019 error main.skills'],
    [{ a: './a.mjs' }, 'SKL019 error main.skills.a'],
    [[{ file }], 'SKL002 error main.skills[0]'],
    [{ '': { file } }, 'SKL002 error main.skills[""]'],
    [{ a: {} }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: 'a.md' } }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: '../a.mjs' } }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: 'skills\\..\\..\\a.mjs' } }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: '/etc/a.mjs' } }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: 'C:\\a.mjs' } }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: 'file:///a.mjs' } }, 'SKL016 error main.skills.a.file'],
    [{ a: { file: 'a\0.mjs' } }, 'SKL016 error main.skills.a.file'],
  ])('%j is refused', (skills, code) => expect(read(skills)).toEqual({ definitions: [], codes: [code] }));

  test.each([
    [{ findPlaces: { file } }, 'SKL002 warning main.skills.findPlaces'],
    [{ a: { file, nmae: 'a' } }, 'VAL003 warning main.skills.a.nmae'],
    [
      [
        { name: 'a', file },
        { name: 'a', file },
      ],
      'SKL003 warning main.skills[1]',
    ],
  ])('%j is read with a warning', (skills, code) => {
    const { definitions, codes } = read(skills);
    expect(definitions).toHaveLength(1);
    expect(codes).toEqual([code]);
  });

  test('more than four are a warning', () => {
    const skills = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `a${index}`, file }));
    expect(read(skills(4)).codes).toEqual([]);
    expect(read(skills(5))).toMatchObject({ definitions: { length: 5 }, codes: ['SKL018 warning main.skills'] });
  });

  test('keep names of inherited members', () => {
    const skills = JSON.parse(`{"__proto__":{"file":"${file}"},"constructor":{"file":"${file}"}}`);
    expect(read(skills).definitions.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  });
});
