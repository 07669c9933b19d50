import { UriTemplate } from '@modelcontextprotocol/server';
import type { ServedResource } from '@schemakit/server';
import { png } from './fixture-api.ts';

const about = { title: 'Of the suite', description: 'A resource of the suite.' };

/** The resources of the suite, which belong to no tool. */
export const fixtureResources: ServedResource[] = [
  fixed('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' }),
  fixed('test://static-binary', 'image/png', { blob: png }),
  templated('test://template/{id}/data', ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data ${id}` })),
];

function fixed(uri: string, mimeType: string, content: { text: string } | { blob: string }): ServedResource {
  return {
    resourceName: uri,
    uri,
    listing: { uri, name: uri, ...about, mimeType },
    matches: (address) => address === uri,
    read: async () => ({ ok: true, contents: [{ uri, mimeType, ...content }] }),
    complete: () => [],
  };
}

function templated(
  uriTemplate: string,
  write: (variables: Record<string, string | string[]>) => string,
): ServedResource {
  const mimeType = 'application/json';
  const template = new UriTemplate(uriTemplate);
  return {
    resourceName: uriTemplate,
    uri: uriTemplate,
    template: { uriTemplate, name: uriTemplate, ...about, mimeType },
    matches: (address) => template.match(address) !== null,
    read: async (uri) => ({ ok: true, contents: [{ uri, mimeType, text: write(template.match(uri) ?? {}) }] }),
    complete: () => [],
  };
}
