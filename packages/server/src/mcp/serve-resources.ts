import type { Server } from '@modelcontextprotocol/server';
import type { KeptAnswers } from '../answers/kept-answers.ts';
import type { CallCount } from '../in-flight.ts';
import type { LiveOffer } from '../offer/live-offer.ts';
import type { ServedCallOptions } from '../offer/offer.ts';
import { cutOff, listPage, protocolError } from './protocol-error.ts';

/** What reading a resource of an API is held to. */
export type ReadOptions = Pick<ServedCallOptions, 'timeoutMs' | 'cache' | 'upstream'>;

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function serveResources(
  server: Server,
  offer: LiveOffer,
  {
    pageSize,
    calls,
    kept,
    readOptions,
  }: { pageSize: number; calls: CallCount; kept: Pick<KeptAnswers, 'find'> | undefined; readOptions: ReadOptions },
): void {
  server.setRequestHandler('resources/list', ({ params }) => {
    const { list } = offer.current.resources;
    const { entries, next } = listPage(list, ({ uri }) => uri, { cursor: params?.cursor, pageSize });
    return { resources: entries, ...next };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const { templates } = offer.current.resources;
    const { entries, next } = listPage(templates, ({ uriTemplate }) => uriTemplate, {
      cursor: params?.cursor,
      pageSize,
    });
    return { resourceTemplates: entries, ...next };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const answer = kept?.find(uri);
    if (answer !== undefined) return { contents: [{ uri, ...answer }] };
    const resource = offer.current.resources.all.find(({ matches }) => matches(uri));
    // Clients know a resource that does not exist by data that is the address and nothing else.
    if (resource === undefined) throw protocolError({ message: `Resource ${uri} not found`, data: { uri } });
    const { id, signal } = context.mcpReq;
    const reading = await calls.during(
      () => resource.read(uri, { ...readOptions, signal }),
      () => cutOff(server, id),
    );
    if (!reading.ok) throw protocolError(reading.fault);
    return { contents: reading.contents };
  });
}
