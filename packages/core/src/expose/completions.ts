import { handle, type LowLevelServer } from './mcp-server-like.ts';

/** MCP specification, completion/complete. */
const maxCompletions = 100;

/** What a typed text may go on with: the values that begin so, in any letter case, at most 100. */
export function completions(values: readonly string[], typed: string): string[] {
  const start = typed.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(start)).slice(0, maxCompletions);
}

/** Gives the values of an argument that begin with what a user has typed. */
type Complete = (argument: string, typed: string) => string[];

/** What a client names as that whose argument it wants completed (MCP specification, completion/complete). */
export type CompletionReference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

const tables = new WeakMap<LowLevelServer, Map<string, Complete>>();

/**
 * Has a server complete the arguments of a prompt or of a resource template. A server that completes what is its own keeps
 * its handler: completions are a convenience, and no reason to fail.
 */
export function addCompletion(server: LowLevelServer, reference: CompletionReference, complete: Complete): void {
  const table = tables.get(server) ?? createTable(server);
  table?.set(keyOf(reference), complete);
}

function createTable(server: LowLevelServer): Map<string, Complete> | undefined {
  try {
    server.assertCanSetRequestHandler('completion/complete');
    server.registerCapabilities({ completions: {} });
  } catch {
    return undefined; // It completes what is its own, or it is connected already.
  }
  const table = new Map<string, Complete>();
  tables.set(server, table);
  handle(server, 'completion/complete', (request) => {
    const { ref, argument } = request.params as {
      ref: CompletionReference;
      argument: { name: string; value: string };
    };
    return { completion: { values: table.get(keyOf(ref))?.(argument.name, argument.value) ?? [] } };
  });
  return table;
}

function keyOf(reference: CompletionReference): string {
  return JSON.stringify([reference.type, reference.type === 'ref/prompt' ? reference.name : reference.uri]);
}
