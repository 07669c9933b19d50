import type { CodeGroup } from './attack.ts';

const hangs = 'hangs the calling process';

export const time: CodeGroup = {
  title: 'Time',
  attacks: [
    { name: 'loops in a hook', harm: hangs, scan: 'accepted', hook: 'for (;;);' },
    {
      name: 'loops in the factory',
      harm: hangs,
      scan: 'accepted',
      module:
        'export const main = %MAIN%;\nexport const handlers = () => { for (; Date.now() > 0; ); return { attack: { executeRequest: async () => ({}) } }; };',
    },
    { name: 'loops while the module is loaded', harm: hangs, scan: 'accepted', top: 'for (;;);' },
    {
      name: 'waits for a promise that never settles',
      harm: hangs,
      scan: 'accepted',
      hook: 'setInterval(() => undefined, 1000); await new Promise(() => undefined);',
    },
    {
      name: 'floods with timers',
      harm: hangs,
      scan: 'accepted',
      hook: 'const again = () => { for (let i = 0; i < 3; i += 1) setTimeout(again, 0); const end = Date.now() + 50; while (Date.now() < end); }; again(); await new Promise(() => undefined);',
    },
    {
      name: 'matches a regular expression that never ends',
      harm: hangs,
      scan: 'accepted',
      hook: `return /^(a+)+$/.test('a'.repeat(60) + '!');`,
    },
    {
      name: 'throws an object that loops when it is converted to text',
      harm: hangs,
      scan: 'accepted',
      hook: 'throw { toString() { for (;;); }, toJSON() { for (;;); } };',
    },
    {
      name: 'throws an error whose message loops',
      harm: hangs,
      scan: 'accepted',
      hook: `throw Object.defineProperty(new Error('x'), 'message', { get() { for (;;); } });`,
    },
    {
      name: 'returns a getter that loops',
      harm: hangs,
      scan: 'accepted',
      hook: 'return { get value() { for (;;); } };',
    },
    {
      name: 'returns a proxy that loops',
      harm: hangs,
      scan: 'accepted',
      hook: 'return new Proxy({}, { ownKeys() { for (;;); } });',
    },
    {
      name: 'returns a toJSON that loops',
      harm: hangs,
      scan: 'accepted',
      hook: 'class Answer { toJSON() { for (;;); } } return new Answer();',
    },
    {
      name: 'is a thenable that never settles',
      harm: hangs,
      scan: 'accepted',
      hook: 'setInterval(() => undefined, 1000); return { then() {} };',
    },
    {
      name: 'is a thenable that resolves to another one, endlessly',
      harm: hangs,
      scan: 'accepted',
      hook: 'const next = () => ({ then(resolve) { resolve(next()); } }); return next();',
    },
    {
      name: 'derives a key with millions of iterations',
      harm: hangs,
      scan: 'accepted',
      libraries: ['crypto'],
      hook: `return libraries.crypto.pbkdf2Sync('x', 'y', 2_000_000_000, 64, 'sha512');`,
    },
    {
      name: 'waits on shared memory',
      harm: hangs,
      scan: 'SEC019',
      hook: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    },
  ],
};
