import type { Server } from '@modelcontextprotocol/server';
import type { LiveOffer } from '../offer/live-offer.ts';
import { listPage, protocolError } from './protocol-error.ts';

/** `prompts/list` and `prompts/get`. */
export function servePrompts(server: Server, offer: LiveOffer, { pageSize }: { pageSize: number }): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    const { list } = offer.current.prompts;
    const { entries, next } = listPage(list, ({ name }) => name, { cursor: params?.cursor, pageSize });
    return { prompts: entries, ...next };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = offer.current.prompts.byName.get(params.name);
    if (prompt === undefined) throw protocolError({ message: `Prompt ${params.name} not found` });
    const result = await prompt.get(params.arguments ?? {});
    if (!result.ok) throw protocolError({ message: result.findings.map(({ message }) => message).join('\n') });
    const { description, messages } = result;
    return { ...(description !== undefined && { description }), messages };
  });
}
