import type { Server } from '@modelcontextprotocol/server';
import type { LiveOffer } from '../offer/live-offer.ts';
import type { Offer } from '../offer/offer.ts';
import { protocolError } from './protocol-error.ts';

// MCP specification, Completion: no more than that in an answer.
const maxValues = 100;

type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** `completion/complete` for arguments of prompts and of resource templates. */
export function serveCompletions(server: Server, offer: LiveOffer): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values = await completedBy(ref, offer.current).complete(argument.name, argument.value);
    const more = values.length > maxValues ? { total: values.length, hasMore: true } : {};
    return { completion: { values: values.slice(0, maxValues), ...more } };
  });
}

function completedBy(
  ref: Reference,
  { prompts, resources }: Offer,
): { complete(argument: string, value: string): string[] | Promise<string[]> } {
  if (ref.type === 'ref/prompt') {
    const prompt = prompts.byName.get(ref.name);
    if (prompt === undefined) throw protocolError({ message: `Prompt ${ref.name} not found` });
    return prompt;
  }
  const { uri } = ref;
  const resource =
    resources.all.find(({ template }) => template?.uriTemplate === uri) ??
    resources.all.find(({ matches }) => matches(uri));
  if (resource === undefined) throw protocolError({ message: `Resource template ${uri} not found`, data: { uri } });
  return resource;
}
