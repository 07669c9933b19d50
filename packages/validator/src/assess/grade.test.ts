import { expect, test } from 'vitest';
import { finding } from '../findings/finding.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';
import { gradeOf } from './grade.ts';
import { type EndedLayer, endedLayer } from './layer-result.ts';

const error = (index: number) => finding('PAY-063', `restrictedCalls[${index}]`, 'Too little');
const warning = finding('CON-008', 'tools', 'Broken');

/** Grades layers with these findings; the others were not evaluated. */
function grade(given: Partial<Record<LayerName, EndedLayer>>, isFound: boolean = true) {
  const unasked = (name: LayerName) =>
    endedLayer(name, { detected: false, state: 'not-evaluated', skipped: 'Not asked for.' }, 0);
  const ended = layerNames.map((name) => given[name] ?? unasked(name));
  const layers = Object.fromEntries(layerNames.map((name, index) => [name, ended[index]?.result])) as never;
  return gradeOf(layers, { isFound, findings: ended.flatMap(({ findings }) => findings) });
}

function layer(name: LayerName, ...findings: ReturnType<typeof finding>[]): Partial<Record<LayerName, EndedLayer>> {
  return { [name]: endedLayer(name, { detected: true, categories: {}, entries: {}, findings }, 1) };
}

const absent = endedLayer('a2a', { detected: false, state: 'not-detected', skipped: 'No card.' }, 1);

test('A: no error and no warning', () => {
  const notes = finding('PRB-005', 'tools', 'None');
  expect(grade({ ...layer('http'), ...layer('mcp', notes), a2a: absent })).toEqual({
    letter: 'A',
    coverage: { seen: 3, of: 8 },
    holdsDown: [],
    next: null,
  });
});

test('B: warnings only', () => {
  const holdsDown = ['CON-008:tools'];
  const next = { letter: 'A', mend: holdsDown };
  expect(grade(layer('mcp', warning))).toMatchObject({ letter: 'B', holdsDown, next });
});

test('C: errors in one layer', () => {
  const holdsDown = ['PAY-063:restrictedCalls[0]', 'PAY-063:restrictedCalls[1]'];
  const next = { letter: 'B', mend: holdsDown };
  const found = grade({ ...layer('mcp', warning), ...layer('payment', error(0), error(1)) });
  expect(found).toMatchObject({ letter: 'C', holdsDown, next });
});

test('C: the next letter is A if there is no warning', () => {
  expect(grade(layer('payment', error(0)))).toMatchObject({ letter: 'C', next: { letter: 'A' } });
});

test('D: errors in several layers; those of all but the largest are to be mended first', () => {
  const found = grade({ ...layer('mcp', finding('CON-004', 'a', 'x')), ...layer('payment', error(0), error(1)) });
  expect(found).toMatchObject({ letter: 'D', next: { letter: 'C', mend: ['CON-004:a'] } });
  expect(found.holdsDown).toHaveLength(3);
});

test('F: not reachable, or nothing detected', () => {
  expect(grade(layer('http'), false).letter).toBe('F');
  expect(grade({ a2a: absent }, false)).toMatchObject({ letter: 'F', coverage: { seen: 1, of: 8 } });
});
