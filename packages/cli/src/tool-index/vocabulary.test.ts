import { describe, expect, test } from 'vitest';
import { matchWord } from './vocabulary.ts';

const words = ['price', 'prices', 'prize', 'rice', 'coin', 'corn', 'coins', 'uniswap', 'transactions', 'v2', 'v3'];

describe('matchWord', () => {
  test.each([
    ['price', { price: 1, prices: 0.7, prize: 0.5, rice: 0.5 }],
    ['coin', { coin: 1, coins: 0.7 }],
    ['con', {}],
    ['coinz', { coin: 0.5, coins: 0.5 }],
    ['swap', { uniswap: 0.2 }],
    ['trnsactios', { transactions: 0.3 }],
    ['trans', { transactions: 0.7 }],
    ['v3', { v3: 1 }],
    ['v', {}],
  ])('%s means %j', (typed, expected) => {
    expect(Object.fromEntries(matchWord(typed, words))).toEqual(expected);
  });
});
