/** What became of a call, for logs and counts. Texts hold no secrets: they are those that the client gets. */
export interface CallRecord {
  /** MCP name of the tool. */
  tool: string;
  /** `error` where the answer says so, `cancelled` where the client did not wait for it. */
  outcome: 'ok' | 'error' | 'cancelled';
  durationMs: number;
  /** What a failed call answered. */
  error?: string;
}
