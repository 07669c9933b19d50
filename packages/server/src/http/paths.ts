/** What a server answers at which path. */
export interface Paths {
  /** Streamable HTTP. Default `/mcp`. */
  mcp: string;
  /** Opens a session of the older transport. Default `/sse`. */
  sse: string;
  /** Takes the messages of such sessions. Default `/messages`. */
  messages: string;
  /** Whether the process works. Default `/healthz`. */
  health: string;
  /** Whether it takes requests. Default `/readyz`. */
  ready: string;
  /** Counts and durations as Prometheus reads them. Default `/metrics`. */
  metrics: string;
}

export const defaultPaths: Paths = {
  mcp: '/mcp',
  sse: '/sse',
  messages: '/messages',
  health: '/healthz',
  ready: '/readyz',
  metrics: '/metrics',
};
