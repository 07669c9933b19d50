import { expect, test } from 'vitest';
import { interpolateEnum } from './enum-members.ts';

const lists = { chains: [{ alias: 'eth' }, { alias: 'base' }], units: ['m', 'ft'] };

test.each([
  ['{{chains:alias}}', ['eth', 'base']],
  ['$units', ['m', 'ft']],
  ['custom,{{chains:alias}}', ['custom', 'eth', 'base']],
  ['enum({{chains:alias}})', ['eth', 'base']],
  ['enum(custom, {{chains:alias}})', ['custom', 'eth', 'base']],
  ["enum(['a', 'b'])", ['a', 'b']],
  ['x-{{chains:alias}}', ['x-eth', 'base']],
  ['{{none:alias}},a', ['{{none:alias}}', 'a']],
  ['enum()', []],
])('%s', (template, values) => expect(interpolateEnum(template, lists)).toEqual(values));
