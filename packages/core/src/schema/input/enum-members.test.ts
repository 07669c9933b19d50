import { describe, expect, it } from 'vitest';
import type { Input } from '../schema.ts';
import { resolveInputs, resolveMembers } from './enum-members.ts';

const lists = {
  chains: [
    { alias: 'ETH', id: 1, slug: 'ethereum' },
    { alias: 'BASE', id: 8453, slug: null },
    { alias: 'OP', id: 10 },
    { alias: 'ETH2', id: 1, slug: 'ethereum' },
  ],
  codes: [{ code: 'BE' }, { code: 'HH' }],
  frames: ['1m', 60, null, undefined],
  empty: [],
};

describe('resolveMembers', () => {
  it.each([
    [
      ['x', { list: 'chains', field: 'alias' }, 'y'],
      ['x', 'ETH', 'BASE', 'OP', 'ETH2', 'y'],
    ],
    [[{ list: 'chains', field: 'slug' }], ['ethereum']],
    [
      ['10', { list: 'chains', field: 'id' }],
      ['10', '1', '8453'],
    ],
    [[{ list: 'chains', field: '' }], ['ETH', 'BASE', 'OP', 'ETH2']],
    [[{ list: 'codes', field: '' }], ['BE', 'HH']],
    [[{ list: 'frames', field: '' }], ['1m', '60']],
  ])('resolves %j', (members, values) => expect(resolveMembers(members, lists)).toEqual({ values, missing: [] }));

  it.each([
    { list: 'unknown', field: 'alias' },
    { list: 'chains', field: 'unknown' },
    { list: 'chains', field: 'toString' },
    { list: 'empty', field: '' },
    { list: 'constructor', field: 'name' },
    { list: '__proto__', field: '' },
  ])('names %j, which gives no values', (member) => {
    expect(resolveMembers(['a', member], lists)).toEqual({ values: ['a'], missing: [member] });
  });
});

describe('resolveInputs', () => {
  const plain: Input = { name: 'limit', aliases: [], z: { primitive: 'number', optional: true } };
  const chain: Input = {
    name: 'chain',
    aliases: ['CHAIN'],
    z: { primitive: 'enum', optional: false, members: ['any', { list: 'codes', field: 'code' }] },
  };

  it('replaces lists by their values and does not change other inputs', () => {
    const [first, second] = resolveInputs([plain, chain], lists);
    expect(first).toBe(plain);
    expect(second).toEqual({ ...chain, z: { ...chain.z, members: ['any', 'BE', 'HH'] } });
  });

  it('accepts any text for an enum with a missing list', () => {
    expect(resolveInputs([chain], {})).toEqual([chain]);
  });
});
