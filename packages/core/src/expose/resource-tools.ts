import { sharedHttpText } from '../call/http-text.ts';
import { stringifyData } from '../call/stringify-data.ts';
import type { Resource, ResourceQuery } from '../format/resource.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { callQuery, type RowsHook } from '../resources/call-query.ts';
import { documentInputs, readDocument } from '../resources/read-document.ts';
import type { ToolSource } from './exposed-tool.ts';
import type { ToolOutcome } from './tool-result.ts';

// Queries and documents are read, never changed.
const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;

/** The queries of a schema's databases and its documents, as tools: `<resource>_<query>` and `<resource>`. */
export function resourceTools(record: SchemaRecord): ToolSource[] {
  return [...record.schema.resources.values()].flatMap((resource) =>
    resource.kind === 'sqlite'
      ? [...resource.queries.values()].map((query) => queryTool(record, resource, query))
      : [documentTool(record, resource)],
  );
}

function queryTool(
  { schema, file, approveRoot, rowsHooks }: SchemaRecord,
  resource: Extract<Resource, { kind: 'sqlite' }>,
  query: ResourceQuery,
): ToolSource {
  const hook = rowsHooks[resource.name]?.[query.name];
  const postRequest: RowsHook | undefined = hook && (async (context) => hook({ ...context }));
  return {
    namespace: schema.namespace,
    toolName: `${resource.name}_${query.name}`,
    ...(file !== undefined && { file }),
    description: query.description || resource.description,
    inputs: query.inputs,
    hints: { ...hints, openWorldHint: false },
    async run(params, { signal }) {
      const call = {
        resource,
        query: query.name,
        params,
        schemaFile: file,
        approved: approveRoot,
        signal,
        postRequest,
      };
      return withText(await callQuery(call));
    },
  };
}

function documentTool(
  { schema, file, approveRoot }: SchemaRecord,
  resource: Exclude<Resource, { kind: 'sqlite' }>,
): ToolSource {
  return {
    namespace: schema.namespace,
    toolName: resource.name,
    ...(file !== undefined && { file }),
    description: resource.description,
    inputs: documentInputs,
    hints: { ...hints, openWorldHint: resource.kind === 'http' },
    async run(params, { signal }) {
      const fetchText = (url: string) => sharedHttpText(url, signal);
      return withText(await readDocument({ resource, params, schemaFile: file, approved: approveRoot, fetchText }));
    },
  };
}

function withText({ status, findings, data }: Omit<ToolOutcome, 'dataAsString'>): ToolOutcome {
  return { status, findings, data, dataAsString: status ? stringifyData(data) : null };
}
