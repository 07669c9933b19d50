import type { CodeGroup } from './attack.ts';

const environment = 'reads the environment';

export const libraries: CodeGroup = {
  title: 'Libraries',
  attacks: [
    {
      name: 'runs code from text through a library',
      harm: environment,
      scan: 'accepted',
      libraries: ['moment'],
      hook: `return libraries.moment.template('return process.env')();`,
    },
    {
      name: 'gets the global object from a library',
      harm: environment,
      scan: 'accepted',
      libraries: ['moment'],
      hook: `return libraries.moment.root.process.env;`,
    },
    {
      name: 'gets a built-in module through a library',
      harm: 'reads a file',
      scan: 'SEC017',
      libraries: ['moment'],
      hook: `return libraries.moment.root.process.getBuiltinModule('fs').readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'starts a program through a library',
      harm: 'writes a file',
      scan: 'SEC017',
      libraries: ['moment'],
      hook: `libraries.moment.root.process.getBuiltinModule('child_process').execSync('echo x > %DROP%');`,
    },
    {
      name: 'changes Object.prototype with the setter of a library',
      harm: 'changes the calling process',
      scan: 'accepted',
      libraries: ['moment'],
      hook: `libraries.moment.set({}, '__proto__.polluted', 1);`,
    },
    {
      name: 'makes a request through a library',
      harm: 'reaches the network',
      scan: 'accepted',
      libraries: ['moment'],
      hook: `await libraries.moment.get('%LISTENER%/').catch(() => undefined);`,
    },
    {
      name: 'ends its process through a library',
      harm: 'ends the calling process',
      scan: 'accepted',
      libraries: ['moment'],
      hook: `libraries.moment.root.process.exit(0);`,
    },
    {
      name: 'ships a library with an allowed name that reads the environment',
      harm: environment,
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.environment();`,
    },
    {
      name: 'ships a library that reads the environment of its parent',
      harm: environment,
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.parentEnvironment();`,
    },
    {
      name: 'ships a library that reads files',
      harm: 'reads a file',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.read('%FILE%');`,
    },
    {
      name: 'ships a library that writes files',
      harm: 'writes a file',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.write('%DROP%');`,
    },
    {
      name: 'ships a library that links files',
      harm: 'writes a file',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.link('%DROP%', '%FILE%');`,
    },
    {
      name: 'ships a library that starts programs',
      harm: 'writes a file',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.start('%DROP%');`,
    },
    {
      name: 'ships a library that connects',
      harm: 'reaches the network',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.connect('%LISTENER%');`,
    },
    {
      name: 'ships a library that connects with internal objects of Node.js',
      harm: 'reaches the network',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.binding('%LISTENER%');`,
    },
    {
      name: 'ships a library that connects with the handle of a server',
      harm: 'reaches the network',
      scan: 'accepted',
      libraries: ['axios'],
      hook: `return libraries.axios.handle('%LISTENER%');`,
    },
    {
      name: 'connects with the global object exposed by an honest library',
      harm: 'reaches the network',
      scan: 'accepted',
      libraries: ['moment'],
      hook: `
        const name = (...parts) => parts.join('');
        const { process } = libraries.moment.root, load = process[name('getBuiltin', 'Module')];
        const server = load('net')._createServerHandle('127.0.0.1', 0, 4);
        const make = () => Reflect.construct(server[name('con', 'structor')], [0]);
        const { hostname, port } = new URL('%LISTENER%');
        make().connect(make(), hostname, Number(port));
        server.close();
        await new Promise((resolve) => setTimeout(resolve, 50));`,
    },
    {
      name: 'declares a built-in module that reads files',
      harm: 'reads a file',
      scan: 'VAL026',
      unreadable: true,
      libraries: ['node:fs'],
      hook: `return libraries['node:fs'].readFileSync('%FILE%', 'utf8');`,
    },
    {
      name: 'declares a file as a library',
      harm: environment,
      scan: 'VAL026',
      unreadable: true,
      libraries: ['axios/index.js'],
      hook: `return libraries['axios/index.js'].environment();`,
    },
    {
      name: 'gets the stream inside zlib',
      harm: environment,
      scan: 'SEC017',
      libraries: ['zlib'],
      hook: `return libraries.zlib.gzipSync('x', { info: true }).engine.constructor.constructor('return process.env')();`,
    },
    {
      name: 'runs code through the constructor of a hash',
      harm: environment,
      scan: 'SEC017',
      libraries: ['crypto'],
      hook: `return libraries.crypto.createHash('sha256').constructor.constructor('return process.env')();`,
    },
    {
      name: 'runs code through the constructor of a function of crypto',
      harm: environment,
      scan: 'SEC017',
      libraries: ['crypto'],
      hook: `return libraries.crypto.createHash.constructor('return process.env')();`,
    },
    {
      name: 'runs code through the constructor of an error of crypto',
      harm: environment,
      scan: 'SEC017',
      libraries: ['crypto'],
      hook: `try { libraries.crypto.createHash('none'); } catch (error) { return error.constructor.constructor('return process.env')(); }`,
    },
    {
      name: 'runs code in an inspection of util',
      harm: environment,
      scan: 'SEC017',
      libraries: ['util'],
      hook: `let found; libraries.util.inspect({ [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) { found = inspect.constructor('return process.env')(); } }); return found;`,
    },
    {
      name: 'runs code through the constructor of a function of path',
      harm: environment,
      scan: 'SEC017',
      libraries: ['path'],
      hook: `return libraries.path.join.constructor('return process.env')();`,
    },
    {
      name: 'runs code in a callback of zlib',
      harm: environment,
      scan: 'SEC017',
      libraries: ['zlib'],
      hook: `return new Promise((resolve, reject) => libraries.zlib.gzip('x', function (_, bytes) { try { resolve(bytes.constructor.constructor('return process.env')()); } catch (error) { reject(error); } }));`,
    },
    {
      name: 'runs code through results of url',
      harm: environment,
      scan: 'SEC017',
      libraries: ['url'],
      hook: `return libraries.url.resolve.constructor('return process.env')();`,
    },
  ],
};
