import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { callHook, hookOf, installPackages } from '../fixtures/program.ts';
import { closeHandlerPool } from '../handler-pool.ts';

/** Uses internal objects of Node.js that a library finds on `process` and on a resolver. */
const library = `
  import dns from 'node:dns';
  const make = (object) => new object.constructor(0);
  const channel = Object.getOwnPropertySymbols(process).map((key) => process[key]).find((value) => value?.readStart);
  export const attempts = {
    socket: ({ path }) => make(channel).connect(make(channel), path),
    query: ({ port }) => {
      const [resolver, request] = [new dns.Resolver()._handle, new dns.Resolver()._handle];
      resolver.setServers([[4, '127.0.0.1', port]]);
      return resolver.queryA(request, 'told.example.com');
    },
  };
  if (process.argv[2] === 'unprotected') {
    console.log(attempts[process.argv[3]](JSON.parse(process.argv[4])));
    setInterval(() => undefined, 1000);
  }`;

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of undo.splice(0)) await work();
});
afterAll(closeHandlerPool);

/** A Unix socket and a DNS server that record connections. */
async function startTargets() {
  const folder = await mkdtemp(join(tmpdir(), 'system-access-'));
  const path = join(folder, 's');
  const arrivals: string[] = [];
  const server = createServer((socket) => {
    arrivals.push('socket');
    socket.on('error', () => undefined);
    socket.end();
  });
  server.listen(path);
  await once(server, 'listening');
  const names = createSocket('udp4', () => arrivals.push('query'));
  names.bind(0, '127.0.0.1');
  await once(names, 'listening');
  undo.push(async () => {
    names.close();
    server.close();
    await once(server, 'close');
    await rm(folder, { recursive: true });
  });
  return { arrivals, targets: { path, port: (names.address() as AddressInfo).port } };
}

test.skipIf(process.platform === 'win32').each(['socket', 'query'])(
  'a library that can reach a %s with internal objects of Node.js is blocked in the sandbox',
  async (way) => {
    const packages = await installPackages({
      'finds/package.json': '{"name":"finds","type":"module","main":"index.js"}',
      'finds/index.js': library,
    });
    undo.push(packages.remove);
    const found = packages.libraryOf('finds', 'finds/index.js');
    const { arrivals, targets } = await startTargets();
    const child = fork(found.entry, ['unprotected', way, JSON.stringify(targets)], { stdio: 'ignore' });
    await expect.poll(() => arrivals).toContain(way);
    child.kill('SIGKILL');
    await once(child, 'exit');
    arrivals.length = 0;

    const body = `return libraries.finds.attempts[context.way](context.targets)`;
    const call = callHook(hookOf(body, { libraries: [found] }), { way, targets });
    await expect(call).rejects.toMatchObject({
      code: 'HANDLER_THREW',
      message: expect.stringMatching(/blocked|restricted/),
    });
    expect(arrivals).toEqual([]);
  },
);

test('a library cannot write files past the permission model', async () => {
  const packages = await installPackages({
    'writes/package.json': '{"name":"writes","type":"module","main":"index.js"}',
    'writes/index.js': `
      import trace from 'node:trace_events';
      import v8 from 'node:v8';
      const calls = [
        () => trace.createTracing({ categories: ['node.perf'] }).enable(),
        () => v8.setFlagsFromString('--logfile=v8.log'),
        () => v8.setHeapSnapshotNearHeapLimit(1),
      ];
      export const codes = () => calls.map((call) => { try { return String(call()); } catch (error) { return error.code; } });`,
  });
  undo.push(packages.remove);
  const libraries = [packages.libraryOf('writes', 'writes/index.js')];
  expect(await callHook(hookOf('return libraries.writes.codes()', { libraries }))).toEqual(
    Array(3).fill('ERR_ACCESS_DENIED'),
  );
});
