import type { Resource, ResourceQuery } from '../format/resource.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { callQuery, type RowsHook } from '../resources/call-query.ts';
import { readDocument } from '../resources/read-document.ts';
import { sharedHttpText } from './http-text.ts';
import { networkGrant } from './network-grant.ts';
import type { CallOutcome } from './running-call.ts';
import type { UpstreamOptions } from './upstream-options.ts';

/** What a look-up may take. */
export interface LookUpOptions {
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** Of a query or of the request for a document, in milliseconds. Default: 10 seconds and 30 seconds. */
  timeoutMs?: number | undefined;
  /** The limits of the request for a document. Default none. */
  upstream?: UpstreamOptions | undefined;
}

/** A query of a database, or a document, as something that is called by a name like a tool. */
export interface ResourceRoute {
  /** `<resource>_<query>`, or `<resource>` for a document. */
  name: string;
  /** Other names that a call may use. */
  aliases: readonly string[];
  resource: Resource;
  /** Absent for a document. */
  query?: ResourceQuery;
  /** Looks it up with a caller's arguments. Never throws. */
  call(params: unknown, options?: LookUpOptions): Promise<CallOutcome>;
}

/** The queries of a schema's databases and its documents, in the order of the schema. */
export function resourceRoutes(record: SchemaRecord): ResourceRoute[] {
  return [...record.schema.resources.values()].flatMap((resource) =>
    resource.kind === 'sqlite'
      ? [...resource.queries.values()].map((query) => queryRoute(record, resource, query))
      : [documentRoute(record, resource)],
  );
}

/** The query or the document that a name means. */
export function findResourceRoute(record: SchemaRecord, name: string): ResourceRoute | undefined {
  const routes = resourceRoutes(record);
  return routes.find((route) => route.name === name) ?? routes.find(({ aliases }) => aliases.includes(name));
}

function queryRoute(
  { file, approveRoot, rowsHooks }: SchemaRecord,
  resource: Extract<Resource, { kind: 'sqlite' }>,
  query: ResourceQuery,
): ResourceRoute {
  const hook = rowsHooks[resource.name]?.[query.name];
  const postRequest: RowsHook | undefined = hook && (async (context) => hook({ ...context }));
  const place = { resource, query: query.name, schemaFile: file, approved: approveRoot, postRequest };
  return {
    name: `${resource.name}_${query.name}`,
    aliases: otherNames(query.name)
      .filter((name) => !resource.queries.has(name))
      .map((name) => `${resource.name}_${name}`),
    resource,
    query,
    call: (params, { signal, timeoutMs } = {}) =>
      callQuery({ ...place, params, signal, ...(timeoutMs !== undefined && { timeoutMs }) }),
  };
}

/** `freeQuery` is the older name of `runSql`. */
function otherNames(query: string): string[] {
  return query === 'runSql' ? ['freeQuery'] : query === 'freeQuery' ? ['runSql'] : [];
}

function documentRoute(
  { schema, file, approveRoot, grants }: SchemaRecord,
  resource: Exclude<Resource, { kind: 'sqlite' }>,
): ResourceRoute {
  return {
    name: resource.name,
    aliases: [],
    resource,
    call(params, options = {}) {
      const fetchText = (url: string) => {
        const { policy } = networkGrant(schema.root, { granted: grants.network ?? [], approveRoot });
        return sharedHttpText(url, { ...options, policy });
      };
      return readDocument({ resource, params, schemaFile: file, approved: approveRoot, fetchText });
    },
  };
}
