import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPeer } from './install-peer.ts';
import type { Peer } from './peer.ts';

const run = promisify(execFile);
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/** The generator, and what the servers that it makes depend on: the newest versions that they allow. */
const packages = {
  'openapi-mcp-generator': '4.0.1',
  '@hono/node-server': '1.19.19',
  '@modelcontextprotocol/sdk': '1.32.2',
  axios: '1.21.1',
  dotenv: '16.6.1',
  'fetch-to-node': '2.1.0',
  hono: '4.13.19',
  'json-schema-to-zod': '2.8.1',
  uuid: '11.1.1',
  zod: '3.25.76',
};

/** `openapi-mcp-generator`, which writes a server for an OpenAPI document. Undefined where it cannot be installed. */
export async function openApiMcpGenerator(): Promise<Peer | undefined> {
  const folder = await installPeer('openapi-mcp-generator', packages);
  if (folder === undefined) return undefined;
  const generator = join(folder, 'node_modules', '.bin', 'openapi-mcp-generator');
  return {
    name: 'openapi-mcp-generator',
    async launch({ openApi, count }, port) {
      const transport = port === undefined ? 'stdio' : 'streamable-http';
      const made = join(folder, `made-${transport}-${count}`);
      const ports = port === undefined ? [] : ['--port', String(port)];
      await run(process.execPath, [generator, '-i', openApi, '-o', made, '-t', transport, ...ports, '--force']);
      // Its types are not ours to check.
      const flags = ['--noCheck', '--module', 'nodenext', '--target', 'es2022', '--outDir', join(made, 'build')];
      const sources = ['index', ...(port === undefined ? [] : ['streamable-http'])].map((name) =>
        join(made, 'src', `${name}.ts`),
      );
      await run(process.execPath, [compiler, ...flags, '--ignoreConfig', ...sources], { cwd: made });
      return {
        args: [join(made, 'build', 'index.js'), ...(port === undefined ? [] : ['--transport=streamable-http'])],
      };
    },
  };
}
