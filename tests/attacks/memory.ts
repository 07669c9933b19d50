import type { CodeGroup } from './attack.ts';

const fills = 'exhausts memory';

export const memory: CodeGroup = {
  title: 'Memory and noise',
  attacks: [
    {
      name: 'floods the queue of microtasks',
      harm: fills,
      scan: 'accepted',
      hook: 'const again = () => Promise.resolve().then(again); again(); await new Promise((resolve) => setTimeout(resolve, 10));',
    },
    {
      name: 'fills the heap with objects',
      harm: fills,
      scan: 'accepted',
      hook: 'const kept = []; for (;;) kept.push({ list: new Array(1000).fill(kept.length) });',
    },
    {
      name: 'fills the heap step by step',
      harm: fills,
      scan: 'accepted',
      hook: 'const kept = []; for (;;) { kept.push(new Array(2_000_000).fill(kept.length)); await new Promise((resolve) => setTimeout(resolve, 0)); }',
    },
    {
      name: 'fills the memory with bytes',
      harm: fills,
      scan: 'accepted',
      hook: 'const kept = []; for (;;) { kept.push(new Uint8Array(50_000_000).fill(1)); await new Promise((resolve) => setTimeout(resolve, 0)); }',
    },
    {
      name: 'fills the memory with bytes in one go',
      harm: fills,
      scan: 'accepted',
      hook: 'const kept = []; for (;;) kept.push(Buffer.alloc(50_000_000, 1));',
    },
    {
      name: 'decompresses a decompression bomb',
      harm: fills,
      scan: 'accepted',
      libraries: ['zlib'],
      hook: `const part = libraries.zlib.gzipSync(Buffer.alloc(60_000_000)); return libraries.zlib.gunzipSync(Buffer.concat(Array(16).fill(part))).length;`,
    },
    {
      name: 'keeps microtasks and memory growing',
      harm: fills,
      scan: 'accepted',
      hook: 'const again = () => { Promise.resolve().then(again); Promise.resolve(new Array(500).fill(1)).then(again); }; again(); await new Promise(() => undefined);',
    },
    {
      name: 'writes to the console endlessly',
      harm: 'floods',
      scan: 'accepted',
      hook: `for (let i = 0; i < 20_000; i += 1) console.log('x'.repeat(1000));`,
    },
    {
      name: 'writes one enormous line',
      harm: 'floods',
      scan: 'accepted',
      hook: `console.error('x'.repeat(20_000_000));`,
    },
    { name: 'returns an enormous text', harm: 'floods', scan: 'accepted', hook: `return 'x'.repeat(30_000_000);` },
    {
      name: 'returns an enormous list',
      harm: 'floods',
      scan: 'accepted',
      hook: `return new Array(10_000_000).fill(1);`,
    },
    {
      name: 'returns data that grows when it is serialized',
      harm: 'floods',
      scan: 'accepted',
      hook: `let list = ['x'.repeat(100)]; for (let i = 0; i < 18; i += 1) list = [list, list]; return list;`,
    },
    {
      name: 'fails with an enormous message',
      harm: 'floods',
      scan: 'accepted',
      hook: `throw new Error('x'.repeat(30_000_000));`,
    },
    {
      name: 'calls its API thousands of times',
      harm: 'floods',
      scan: 'accepted',
      root: '%LISTENER%',
      hook: `for (let i = 0; i < 30; i += 1) await Promise.all(Array.from({ length: 50 }, () => fetch('%LISTENER%/').catch(() => undefined)));`,
    },
  ],
};
