import { type ResourceRoute, resourceRoutes } from '../call/resource-routes.ts';
import { stringifyData } from '../call/stringify-data.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { documentInputs, documentMediaType } from '../resources/read-document.ts';
import type { ToolSource } from './exposed-tool.ts';
import type { ResourcePlace } from './name-resources.ts';

/** The queries of a schema's databases and its documents, as tools: `<resource>_<query>` and `<resource>`. */
export function resourceTools(record: SchemaRecord): ToolSource[] {
  const { schema, file } = record;
  const places = new Map(
    [...schema.resources.values()].map((resource): [unknown, ResourcePlace] => {
      const { name, queries } = resource;
      const own = { namespace: schema.namespace, name, queries: [...queries.keys()] };
      return [resource, { ...own, ...(file !== undefined && { file }) }];
    }),
  );
  return resourceRoutes(record).flatMap((route) => {
    const place = places.get(route.resource);
    return place === undefined ? [] : [resourceTool(route, place)];
  });
}

function resourceTool({ name, aliases, resource, query, call }: ResourceRoute, place: ResourcePlace): ToolSource {
  const { namespace, file } = place;
  return {
    namespace,
    toolName: name,
    aliases,
    ...(file !== undefined && { file }),
    description: query?.description || resource.description,
    inputs: query?.inputs ?? documentInputs,
    // Queries and documents are read, never changed.
    hints: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: resource.kind === 'http',
    },
    requiredServerParams: [],
    part: {
      place,
      ...(query && { query: query.name }),
      mimeType: resource.kind === 'sqlite' ? 'application/json' : documentMediaType(resource),
    },
    async run(params, options) {
      const { status, findings, data } = await call(params, options);
      return { status, findings, data, dataAsString: status ? stringifyData(data) : null };
    },
  };
}
