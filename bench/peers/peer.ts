import type { DescribedApi } from '../schemas/departures.ts';

/** How to start a server. */
export interface Launch {
  /** For Node. */
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Path of the address where it speaks MCP over HTTP. Default `/mcp`. */
  path?: string;
}

/** A kind of server that is measured. */
export interface Peer {
  name: string;
  /** How it serves an API: over stdio, or over HTTP where a port is named. */
  launch(api: DescribedApi, port?: number): Promise<Launch>;
}
