import type { NetworkPolicy } from '@schemakit/http';
import type { SchemaRecord } from '../load/schema-record.ts';
import { callQuery, type RowsHook } from '../resources/call-query.ts';
import { readDocument } from '../resources/read-document.ts';
import type { Finding } from '../schema/finding.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { Resource, ResourceQuery } from '../schema/schema.ts';
import type { CallContext } from './call-context.ts';
import { callFinding, requestFinding } from './call-findings.ts';
import type { CallOutcome } from './call-tool.ts';
import { createVaults } from './secret-vault.ts';
import { networkGrant, sendRequest } from './send-request.ts';

/** A query of a database or a document, which is called by name like a tool. */
export interface ResourceRoute {
  /** `<resource>_<query>`, or `<resource>` for a document. */
  name: string;
  /** Other names that a call may use. */
  aliases: readonly string[];
  resource: Resource;
  /** Absent for a document. */
  query?: ResourceQuery;
  /** Never throws. */
  call(params: unknown, context?: CallContext): Promise<CallOutcome>;
}

/** The queries of a schema's databases and its documents, in the order of the schema. */
export function resourceRoutes(record: SchemaRecord): ResourceRoute[] {
  return [...record.schema.resources.values()].flatMap((resource) =>
    resource.kind === 'sqlite'
      ? [...resource.queries.values()].map((query) => queryRoute(record, resource, query))
      : [documentRoute(record, resource)],
  );
}

export function findResourceRoute(record: SchemaRecord, name: string): ResourceRoute | undefined {
  const routes = resourceRoutes(record);
  return routes.find((route) => route.name === name) ?? routes.find(({ aliases }) => aliases.includes(name));
}

function queryRoute(
  { file, approveRoot, grants, rowsHooks }: SchemaRecord,
  resource: Extract<Resource, { kind: 'sqlite' }>,
  query: ResourceQuery,
): ResourceRoute {
  const hook = rowsHooks[resource.name]?.[query.name];
  const postRequest: RowsHook | undefined = hook && (async (context) => hook({ ...context }));
  const access = { schemaFile: file, approved: approveRoot, read: grants.read };
  const place = { ...access, resource, query: query.name, postRequest };
  return {
    name: `${resource.name}_${query.name}`,
    aliases: otherNames(query.name)
      .filter((name) => !resource.queries.has(name))
      .map((name) => `${resource.name}_${name}`),
    resource,
    query,
    call: (params, { signal, timeoutMs } = {}) =>
      callQuery({ ...place, params, signal, ...(typeof timeoutMs === 'number' && { timeoutMs }) }),
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
    call(params, context = {}) {
      const fetchText = (url: string) => {
        const { policy } = networkGrant(schema.root, { granted: grants.network ?? [], approveRoot });
        return httpText(url, policy, context);
      };
      const access = { schemaFile: file, approved: approveRoot, read: grants.read };
      return readDocument({ ...access, resource, params, fetchText });
    },
  };
}

const noSecrets = createVaults({})({ hasHandlers: false });

/** Fetches a public document as text. Throws for anything but success. */
async function httpText(url: string, policy: NetworkPolicy, context: CallContext): Promise<string> {
  const scope = { vault: noSecrets, context, use: { attempts: 0, waitedMs: 0 } };
  const request = { url, method: 'GET', headers: {} };
  const { status, statusText, body } = await sendRequest(request, scope, { policy }).catch((error) => {
    const { message, hint } = requestFinding(error);
    throw Object.assign(new Error(message), { hint: hint?.replaceAll('<origin>', blockedOrigin(error) ?? '<origin>') });
  });
  if (status >= 400) throw new Error(`HTTP ${status}: ${statusText}`);
  return new TextDecoder().decode(body);
}

/** The origin at which a request failed, perhaps after a redirect. */
function blockedOrigin(error: unknown): string | undefined {
  const { url } = Object(error) as { url?: unknown };
  return typeof url === 'string' ? URL.parse(url)?.origin : undefined;
}

/** The finding for an unknown name. `place` completes "not found in". */
export function unknownRoute(routeName: unknown, records: readonly SchemaRecord[], place: string): Finding {
  const known = records.flatMap((record) => [
    ...record.schema.tools.keys(),
    ...resourceRoutes(record).map(({ name }) => name),
  ]);
  const message = `Route "${String(routeName)}" not found in ${place}`;
  return callFinding('TOOL_UNKNOWN', message, { path: 'routeName', hint: hintFor(routeName, known) });
}

function hintFor(routeName: unknown, known: readonly string[]): string {
  const meant = typeof routeName === 'string' ? nearestWord(routeName, known) : undefined;
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.length === 0 ? 'There are no tools, queries or documents.' : `The tools are: ${known.join(', ')}.`;
}
