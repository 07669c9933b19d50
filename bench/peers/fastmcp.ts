import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installPeer } from './install-peer.ts';
import type { Peer } from './peer.ts';

const program = fileURLToPath(new URL('../programs/fastmcp-server.js', import.meta.url));

/** `fastmcp`, which makes tools of an OpenAPI document at each start. Undefined where it cannot be installed. */
export async function fastmcp(): Promise<Peer | undefined> {
  const module = await fastmcpModule();
  if (module === undefined) return undefined;
  return {
    name: 'fastmcp',
    launch: async ({ openApi }, port) => ({
      args: [program, module, openApi, ...(port === undefined ? [] : [String(port)])],
    }),
  };
}

/** The address of its module that reads OpenAPI documents. */
export async function fastmcpModule(): Promise<string | undefined> {
  const folder = await installPeer('fastmcp', { fastmcp: '4.20.16' });
  return folder && pathToFileURL(join(folder, 'node_modules', 'fastmcp', 'dist', 'openapi', 'index.js')).href;
}
