import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Launch } from '../peers/peer.ts';
import type { McpClient } from './line-client.ts';
import { mcpOverHttp } from './mcp-over-http.ts';
import { measureLoad } from './measure-load.ts';
import { processorTime } from './processor-time.ts';
import { residentMemory } from './resident-memory.ts';

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a server and speaks Streamable HTTP with it. */
export async function connectOverHttp(
  { args, env = {}, path }: Launch,
  { port, isStateless = false }: { port: number; isStateless?: boolean },
): Promise<McpClient> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let lastWords = '';
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-2000);
  });
  const ended = once(child, 'exit');
  try {
    await listening(port, () => child.exitCode === null);
  } catch (error) {
    throw new Error(`${args.join(' ')} does not listen: ${lastWords}`, { cause: error });
  }
  const client = mcpOverHttp({ port, path, isStateless, connections: 256 });
  const close = async () => {
    await client.close();
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await client.begin();
  } catch (error) {
    await close();
    throw new Error(`${String(error)}: ${lastWords.slice(0, 300)}`, { cause: error });
  }
  return {
    request: client.request,
    callTool: (params, load) =>
      measureLoad(load, {
        processorTime: () => processorTime(child.pid),
        async call() {
          const { text } = await client.post('tools/call', params);
          if (text.includes('"isError":true') || text.includes('"error":{'))
            throw new Error(`a call failed: ${text.slice(0, 500)}`);
        },
      }),
    processorTime: () => processorTime(child.pid),
    residentMemory: () => residentMemory(child.pid),
    close,
  };
}

/** Waits until something listens. Asks it nothing: there are servers that end over what they do not know. */
async function listening(port: number, isAlive: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (!isAlive() || performance.now() > end) throw error;
      await wait(20);
    } finally {
      socket.destroy();
    }
  }
}
