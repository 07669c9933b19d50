/** A server's name and version for the MCP handshake. */
export interface ServerInfo {
  name: string;
  version: string;
  /** What clients may tell the model about the server as a whole. */
  instructions?: string;
}
