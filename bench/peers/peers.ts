import { fileURLToPath } from 'node:url';
import { schemakitCommand } from '../processes/servers.ts';
import { fastmcp } from './fastmcp.ts';
import { openApiMcpGenerator } from './openapi-mcp-generator.ts';
import type { Peer } from './peer.ts';

/** Name of the server that somebody would write by hand; nothing that does more can be much faster. */
export const floorName = 'hand-written';

/** Everybody whom we are compared with, except those that cannot be installed. The floor comes first. */
export async function findPeers(): Promise<Peer[]> {
  const installed = [await openApiMcpGenerator(), await fastmcp()];
  return [
    tableServer(floorName, 'table-server.js'),
    tableServer('SDK v1 McpServer', 'sdk-v1-server.js'),
    ...installed.filter((peer) => peer !== undefined),
  ];
}

/** The stateless revision of MCP is spoken by the floor alone. */
export const statelessFloor: Peer = {
  name: floorName,
  launch: async (api, port) => ({
    ...(await tableServer(floorName, 'table-server.js').launch(api, port)),
    path: '/stateless',
  }),
};

/**
 * The built command.
 *
 * @param home The global folder, where it keeps what it offers; one that is no folder keeps nothing.
 */
export function schemakit(home: string): Peer {
  return {
    name: 'SchemaKit',
    launch: async ({ schemas }, port) => ({
      args:
        port === undefined
          ? [schemakitCommand, 'run', schemas]
          : [schemakitCommand, 'serve', schemas, '--port', String(port), '--log-level', 'silent'],
      env: { SCHEMAKIT_HOME: home },
    }),
  };
}

function tableServer(name: string, file: string): Peer {
  const program = fileURLToPath(new URL(`../programs/${file}`, import.meta.url));
  return {
    name,
    launch: async ({ tools, root }, port) => ({
      args: [program, tools, root, ...(port === undefined ? [] : [String(port)])],
    }),
  };
}
