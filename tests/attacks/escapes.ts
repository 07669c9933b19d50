import type { CodeAttack, CodeGroup } from './attack.ts';

const environment = 'reads the environment';
const paths = 'reveals paths of the machine';

/** Makes code with the constructor of a value that the attacker gets hold of. */
function throughConstructorOf(name: string, value: string, scan = 'SEC017'): CodeAttack {
  const hook = `const found = ${value}; return found.constructor.constructor('return process.env.ATTACK_CANARY')();`;
  return { name: `runs code through the constructor of ${name}`, harm: environment, scan, hook };
}

export const escapes: CodeGroup = {
  title: 'Ways out of the language',
  attacks: [
    throughConstructorOf('an object', '{}'),
    throughConstructorOf('a string', `''`),
    throughConstructorOf('its argument', 'context'),
    throughConstructorOf('the parameters', 'context.payload'),
    throughConstructorOf('the shared lists', 'sharedLists'),
    throughConstructorOf('the libraries', 'libraries'),
    throughConstructorOf('fetch', 'fetch'),
    throughConstructorOf('a timer function', 'setTimeout'),
    throughConstructorOf('a buffer', `Buffer.from('x')`),
    throughConstructorOf('a URL', `new URL('https://example.com')`),
    throughConstructorOf('a promise of fetch', `fetch('x:').catch(() => ({}))`),
    throughConstructorOf('an error of fetch', `await fetch('x:').catch((error) => error)`),
    throughConstructorOf(
      'an error of the engine',
      `(() => { const again = () => again(); try { again(); } catch (error) { return error; } })()`,
    ),
    throughConstructorOf(
      'an error of a buffer',
      `(() => { try { Buffer.alloc('x'); } catch (error) { return error; } })()`,
    ),
    throughConstructorOf('an error of JSON', `(() => { try { JSON.parse('{'); } catch (error) { return error; } })()`),
    throughConstructorOf('a DOMException', `new DOMException('x')`),
    throughConstructorOf('a response', `new Response('x')`),
    throughConstructorOf('a key', `await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign'])`),
    throughConstructorOf('a structured clone', 'structuredClone(new Map())'),
    {
      name: 'runs code through the constructor of an async function',
      harm: environment,
      scan: 'SEC017',
      hook: `return (async () => {}).constructor('return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'runs code through the constructor of a generator',
      harm: environment,
      scan: 'SEC017',
      hook: `return (function* () {}).constructor('return process.env.ATTACK_CANARY')().next().value;`,
    },
    {
      name: 'runs code through the constructor of an async generator',
      harm: environment,
      scan: 'SEC017',
      hook: `return (await (async function* () {}).constructor('yield process.env.ATTACK_CANARY')().next()).value;`,
    },
    {
      name: 'runs code through a template tag',
      harm: environment,
      scan: 'SEC017',
      hook: `return [].at.constructor\`return process.env.ATTACK_CANARY\`();`,
    },
    {
      name: 'concatenates the name of the constructor',
      harm: environment,
      scan: 'SEC017',
      hook: `return []['at']['con' + 'structor']('return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'computes the name of the constructor at run time',
      harm: environment,
      scan: 'accepted',
      hook: `const name = ['rotcurtsnoc'].map((text) => [...text].reverse().join(''))[0]; return [].at[name]('return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'finds the constructor with Reflect',
      harm: environment,
      scan: 'accepted',
      hook: `
        const own = Reflect.getPrototypeOf(() => {});
        const [key] = Reflect.ownKeys(own).filter((name) => String(name).startsWith('cons'));
        return Reflect.construct(Reflect.get(own, key), ['return process.env.ATTACK_CANARY'])();`,
    },
    {
      name: 'finds the constructor in a property descriptor',
      harm: environment,
      scan: 'accepted',
      hook: `
        const all = Object.values(Object.getOwnPropertyDescriptors(Reflect.getPrototypeOf(() => {})));
        return all.find(({ value }) => value?.name === 'Function').value('return process.env.ATTACK_CANARY')();`,
    },
    { name: 'evaluates text', harm: environment, scan: 'SEC003', hook: `return eval('process.env.ATTACK_CANARY');` },
    {
      name: 'evaluates text in the global scope',
      harm: environment,
      scan: 'SEC003',
      hook: `return (0, eval)('process.env.ATTACK_CANARY');`,
    },
    {
      name: 'creates a function from text',
      harm: environment,
      scan: 'SEC010',
      hook: `return new Function('return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'creates a function with a with statement',
      harm: environment,
      scan: 'SEC004',
      hook: `return Function('with (globalThis) return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'creates a function after an HTML comment',
      harm: environment,
      scan: 'SEC004',
      hook: `return Function('<!-- ignored\\nreturn process.env.ATTACK_CANARY\\n--> ignored')();`,
    },
    {
      name: 'evaluates an import',
      harm: 'reads a file',
      scan: 'SEC003',
      hook: `return (await eval("import('node:fs')")).readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'evaluates an import with a comment in it',
      harm: 'reads a file',
      scan: 'SEC003',
      hook: `return (await (0, eval)("import/**/ ('node:fs')")).readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'evaluates an import that is split over two texts',
      harm: 'reads a file',
      scan: 'SEC003',
      hook: `return (await eval('imp' + 'ort' + '\\n' + "('node:fs')")).readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'is a thenable and runs code with its arguments',
      harm: environment,
      scan: 'SEC017',
      hook: `return { then(resolve) { resolve(resolve.constructor('return process.env.ATTACK_CANARY')()); } };`,
    },
    {
      name: 'returns a toJSON that runs code',
      harm: environment,
      scan: 'SEC017',
      hook: `class Answer { toJSON() { return this.toJSON.constructor('return process.env.ATTACK_CANARY')(); } } return new Answer();`,
    },
    {
      name: 'returns a getter that runs code',
      harm: environment,
      scan: 'SEC017',
      hook: `return { get value() { return Array.constructor('return process.env.ATTACK_CANARY')(); } };`,
    },
    {
      name: 'returns a proxy that runs code in its traps',
      harm: environment,
      scan: 'SEC017',
      hook: `
        const make = (from) => from.constructor('return process.env.ATTACK_CANARY')();
        return new Proxy({ a: 1 }, { get: (target, key) => (key === 'a' ? make(Reflect.get) : target[key]), ownKeys: () => ['a'] });`,
    },
    {
      name: 'uses this in a timer',
      harm: environment,
      scan: 'SEC017',
      hook: `return new Promise((resolve, reject) => { setTimeout(function () { try { resolve(this.constructor.constructor('return process.env.ATTACK_CANARY')()); } catch (error) { reject(error); } }, 0); });`,
    },
    {
      name: 'uses the event of a signal',
      harm: environment,
      scan: 'SEC017',
      hook: `
        const controller = new AbortController();
        const heard = new Promise((resolve) => controller.signal.addEventListener('abort', (event) => resolve(event)));
        controller.abort();
        return (await heard).constructor.constructor('return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'uses this in a callback of JSON.parse',
      harm: environment,
      scan: 'SEC017',
      hook: `let found; JSON.parse('{"a":1}', function (key, value) { found = this; return value; }); return found.constructor.constructor('return process.env.ATTACK_CANARY')();`,
    },
    {
      name: 'runs code in Symbol.species',
      harm: environment,
      scan: 'SEC017',
      hook: `class List extends Array { static get [Symbol.species]() { return function () { return [Reflect.get.constructor('return process.env.ATTACK_CANARY')()]; }; } } return new List(1).map((x) => x).concat(new List(1).filter(() => false));`,
    },
    {
      name: 'runs code in Symbol.toPrimitive of a URL',
      harm: environment,
      scan: 'SEC017',
      hook: `let found; await fetch({ [Symbol.toPrimitive](hint) { found = this[Symbol.toPrimitive].constructor('return process.env.ATTACK_CANARY')(); return hint; } }).catch(() => undefined); return found;`,
    },
    { name: 'reads its stack', harm: paths, scan: 'accepted', hook: `return new Error('x').stack;` },
    {
      name: 'reads the stack of an error of fetch',
      harm: paths,
      scan: 'accepted',
      hook: `return fetch('x:').catch((error) => [error.stack, error.cause?.stack]);`,
    },
    {
      name: 'reads the stack of a DOMException',
      harm: paths,
      scan: 'accepted',
      hook: `return new DOMException('x').stack;`,
    },
    {
      name: 'captures a stack on an object',
      harm: paths,
      scan: 'accepted',
      hook: `const holder = {}; Error.captureStackTrace?.(holder); return holder.stack;`,
    },
    {
      name: 'hooks into the formatting of stacks',
      harm: paths,
      scan: 'SEC017',
      hook: `Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName()); const { stack } = new Error('x'); return stack;`,
    },
    {
      name: 'throws an error with a stack, which the caller gets',
      harm: paths,
      scan: 'accepted',
      hook: `const error = new Error('x'); throw new Error(error.stack);`,
    },
    {
      name: 'finds the first Error behind an error of a using statement',
      harm: paths,
      scan: 'SEC003',
      syntax: '{ using nothing = null; }',
      hook: `
        let found;
        try { eval('{ using closed = { [Symbol.dispose]() { throw 1; } }; throw 2; }'); } catch (error) { found = error; }
        const First = Object.getPrototypeOf(found.constructor), names = [];
        First.prepareStackTrace = (_, sites) => { names.push(...sites.map((site) => site.getFileName())); return ''; };
        void new First('x').stack;
        return names;`,
    },
    {
      name: 'does the same with names computed at run time',
      harm: paths,
      scan: 'accepted',
      syntax: '{ using nothing = null; }',
      hook: `
        const name = (text) => [...text].reverse().join('');
        let found;
        try { using closed = { [Symbol.dispose]() { throw 1; } }; throw 2; } catch (error) { found = error; }
        const First = Object.getPrototypeOf(found[name('rotcurtsnoc')]), names = [];
        First[name('ecarTkcatSeraperp')] = (_, sites) => { names.push(...sites.map((site) => site.getFileName())); return ''; };
        void new Error('x').stack;
        void new First('x').stack;
        return names;`,
    },
  ],
};
