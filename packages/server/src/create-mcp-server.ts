import { Server } from '@modelcontextprotocol/server';
import type { ExposedPrompt, ExposedTool } from '@schemakit/core';

/** A server's name and version for the MCP handshake. */
export interface ServerInfo {
  name: string;
  version: string;
}

/** What a server offers, made once and shared by every connection. */
export interface Offer {
  tools: { list: readonly ExposedTool['listing'][]; byName: ReadonlyMap<string, ExposedTool> };
  prompts: { list: readonly ExposedPrompt['listing'][]; byName: ReadonlyMap<string, ExposedPrompt> };
}

/** Puts tools and prompts in the tables that servers share. */
export function createOffer(tools: readonly ExposedTool[], prompts: readonly ExposedPrompt[] = []): Offer {
  return { tools: tableOf(tools), prompts: tableOf(prompts) };
}

function tableOf<Entry extends { listing: { name: string } }>(entries: readonly Entry[]) {
  return {
    list: entries.map(({ listing }): Entry['listing'] => listing),
    byName: new Map(entries.map((entry) => [entry.listing.name, entry])),
  };
}

// JSON-RPC 2.0: invalid params. The MCP specification answers an unknown tool or prompt so.
const invalidParams = -32602;

/** An MCP server for one connection. It only points at the tables, so thousands of tools cost a connection nothing. */
export function createMcpServer({ tools, prompts }: Offer, info: ServerInfo): Server {
  const hasPrompts = prompts.list.length > 0;
  const server = new Server(info, { capabilities: { tools: {}, ...(hasPrompts && { prompts: {}, completions: {} }) } });
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.list] as never }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.byName.get(params.name);
    if (tool === undefined) throw invalid(`Tool ${params.name} not found`);
    return (await tool.call(params.arguments ?? {}, { signal: context.mcpReq.signal })) as never;
  });
  if (hasPrompts) servePrompts(server, prompts);
  return server;
}

function servePrompts(server: Server, { list, byName }: Offer['prompts']): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [...list] }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = byName.get(params.name);
    if (prompt === undefined) throw invalid(`Prompt ${params.name} not found`);
    const result = prompt.get(params.arguments ?? {});
    if (!result.ok) throw invalid(result.findings.map(({ message }) => message).join('\n'));
    const { description, messages } = result;
    return { ...(description !== undefined && { description }), messages };
  });
  server.setRequestHandler('completion/complete', ({ params }) => {
    const { ref, argument } = params;
    const prompt = ref.type === 'ref/prompt' ? byName.get(ref.name) : undefined;
    return { completion: { values: prompt?.complete(argument.name, argument.value) ?? [] } };
  });
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { code: invalidParams });
}
