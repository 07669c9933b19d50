import type { LoadedSchema } from '@schemakit/core';
import { isObject, type ParsedSchema, type ParsedTool, parsedSchemaOf } from '@schemakit/core/internal';
import type { NoteOmission, Omission } from './export-codes.ts';
import { planBody } from './request-body.ts';
import { type Example, planParameters, type RequestContext } from './request-parts.ts';
import { type PlannedPath, planPath } from './request-path.ts';
import { planSecurity, type Scheme } from './security-schemes.ts';
import { answerSchema, type JsonObject } from './wire-schema.ts';

/** A schema and the tools of it to export, by their names in the schema and on MCP. */
export interface ExportedSchema {
  loaded: LoadedSchema;
  tools: readonly { toolName: string; mcpName: string }[];
  /** Parts of other kinds, such as `resource tides`. */
  others: readonly string[];
}

interface Operation extends PlannedPath {
  toolName: string;
  mcpName: string;
  method: string;
  operation: JsonObject;
  schemes: readonly Scheme[];
}

/** Writes an OpenAPI 3.1 document. What it does not say of the tools is in `omissions`. */
export function openApiDocument(
  schemas: readonly ExportedSchema[],
  { title, version, description }: { title: string; version: string; description?: string | undefined },
): { document: JsonObject; omissions: Omission[]; operationCount: number } {
  const omissions: Omission[] = [];
  const operations = schemas.flatMap((exported) => operationsOf(exported, omissions));
  const [usual] = operations;
  const schemes = createSchemes();
  const paths: Record<string, JsonObject> = {};
  const shapes = new Map<string, string>();
  const ids = Map.groupBy(operations, ({ toolName }) => toolName);
  for (const each of operations) {
    const { toolName, mcpName, method, server, schemes: own } = each;
    const path = freePath(each, { paths, shapes, omissions });
    const security = Object.fromEntries(own.map((scheme) => [schemes.nameOf(scheme), scheme.scopes]));
    const item = paths[path] ?? {};
    paths[path] = item;
    item[method.toLowerCase()] = {
      operationId: (ids.get(toolName)?.length ?? 0) > 1 ? mcpName : toolName,
      ...each.operation,
      ...(JSON.stringify(server) !== JSON.stringify(usual?.server) && { servers: [server] }),
      ...(own.length > 0 && { security: [security] }),
    };
  }
  const components = schemes.all();
  const document = {
    openapi: '3.1.0',
    info: { title, version, ...(description !== undefined && { description }) },
    ...(usual && { servers: [usual.server] }),
    tags: tagsOf(schemas),
    paths,
    ...(Object.keys(components).length > 0 && { components: { securitySchemes: components } }),
  };
  return { document, omissions, operationCount: operations.length };
}

function operationsOf({ loaded, tools, others }: ExportedSchema, omissions: Omission[]): Operation[] {
  const parsed = parsedSchemaOf(loaded);
  for (const part of others) {
    const hint = 'OpenAPI has no place for it. An MCP bundle has: schemakit export mcpb.';
    omissions.push({ code: 'EXP012', tool: loaded.file, message: `${part} is not a request to the API`, hint });
  }
  if (parsed === undefined) return [];
  return tools.flatMap(({ toolName, mcpName }) => {
    const tool = parsed.schema.tools.get(toolName);
    if (tool === undefined) return [];
    const omit: NoteOmission = (code, message, hint) => omissions.push({ code, tool: mcpName, message, hint });
    if (parsed.requestHook(toolName) === 'makes') {
      const hint = 'Describe the request in the document yourself, or serve the tool over MCP.';
      omit('EXP010', 'a handler makes its requests', hint);
      return [];
    }
    return planOperation(
      { loaded, schema: parsed.schema, tool, isChanged: parsed.requestHook(toolName) === 'changes' },
      omit,
    ).map((operation) => ({ ...operation, toolName, mcpName }));
  });
}

function planOperation(
  {
    loaded,
    schema,
    tool,
    isChanged,
  }: { loaded: LoadedSchema; schema: ParsedSchema; tool: ParsedTool; isChanged: boolean },
  omit: NoteOmission,
): Omit<Operation, 'toolName' | 'mcpName'>[] {
  const written = writtenTool(loaded, tool.name);
  const context: RequestContext = { tool, examples: examplesOf(written), omit };
  const route = planPath(schema, context);
  if (route === undefined) return [];
  const auth = isObject(loaded.main) ? loaded.main.auth : undefined;
  const { schemes, headers, placements } = planSecurity(tool, auth, omit);
  const parameters = [...route.parameters, ...planParameters({ headers, placements }, context)];
  const body = planBody(headers, context);
  const hooks: Readonly<Record<string, unknown>> = loaded.handlerMap[tool.name] ?? {};
  if (isChanged) omit('EXP020', 'a handler changes the request', 'The document has the request before it.');
  const isAnswerChanged = hooks.postRequest != null;
  if (isAnswerChanged) omit('EXP020', 'a handler changes the answer', 'The document has no schema of the answer.');
  if (tool.pagination) {
    const { style, maxPages } = tool.pagination;
    omit('EXP021', `a call gathers up to ${maxPages} pages (${style})`, 'Clients ask for each page.');
  }
  if (tool.signature) {
    const { in: place, name } = tool.signature;
    const message = `each request is signed, in ${name} of the ${place}`;
    omit('EXP022', message, 'Tell clients in the description of the API.');
  }
  const { title, ...hints } = tool.annotations ?? {};
  const operation = {
    ...(title !== undefined && { summary: title }),
    description: tool.description,
    tags: [schema.name],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: { 200: responseOf(tool, written, isAnswerChanged) },
    ...(Object.keys(hints).length > 0 && { 'x-mcp-annotations': hints }),
  };
  return [{ ...route, method: tool.method, operation, schemes }];
}

function writtenTool({ main }: LoadedSchema, name: string): JsonObject {
  const { tools, routes } = (main ?? {}) as JsonObject;
  const all = tools ?? routes;
  const found = isObject(all) ? all[name] : undefined;
  return isObject(found) ? found : {};
}

/** The tests whose calls should succeed. */
function examplesOf({ tests }: JsonObject): Example[] {
  if (!Array.isArray(tests)) return [];
  return tests.filter(isObject).filter(({ _expect }) => {
    const { status, error } = isObject(_expect) ? _expect : {};
    return !error && !(typeof status === 'number' && status >= 400);
  });
}

function responseOf({ accept, output }: ParsedTool, written: JsonObject, isChanged: boolean): JsonObject {
  const { description } = isObject(written.output) ? written.output : {};
  const text = typeof description === 'string' && description !== '' ? description : 'Success.';
  // What the output describes is what the handler makes of the answer.
  const own = isChanged ? undefined : output?.mimeType;
  const types = accept?.split(',').map((type) => type.replace(/;\s*q=.*$/, '').trim()) ?? [own ?? 'application/json'];
  const isJson = (type: string) => /[/+]json\b/i.test(type);
  const media = (type: string) => ({
    ...(output?.schema &&
      !isChanged &&
      isJson(type) === isJson(output.mimeType) && { schema: answerSchema(output.schema) }),
  });
  return { description: text, content: Object.fromEntries(types.map((type) => [type, media(type)])) };
}

/** A path for a tool: its own, with a fragment if another tool has the method, or names the parameters otherwise. */
function freePath(
  { path, method, mcpName, toolName }: Operation,
  {
    paths,
    shapes,
    omissions,
  }: { paths: Record<string, JsonObject>; shapes: Map<string, string>; omissions: Omission[] },
): string {
  const shape = path.replace(/\{[^{}]*\}/g, '{}');
  const known = shapes.get(shape);
  const isFree = known === undefined || (known === path && paths[path]?.[method.toLowerCase()] === undefined);
  if (isFree) {
    shapes.set(shape, path);
    return path;
  }
  const base = `${path}#${toolName}`;
  const own = paths[base] === undefined ? base : `${path}#${mcpName}`;
  const message = `${method} ${path} is the request of another tool as well, so its path is ${own}`;
  omissions.push({ code: 'EXP011', tool: mcpName, message, hint: 'Clients do not send what follows the #.' });
  return own;
}

function createSchemes(): { nameOf(scheme: Scheme): string; all(): Record<string, JsonObject> } {
  const named = new Map<string, JsonObject>();
  return {
    nameOf({ name, scheme }) {
      // Operations of one scheme may ask for different scopes.
      for (let number = 1; ; number += 1) {
        const key = number === 1 ? name : `${name}_${number}`;
        const known = named.get(key);
        if (known === undefined) named.set(key, scheme);
        if (known === undefined || JSON.stringify(known) === JSON.stringify(scheme)) return key;
      }
    },
    all: () => Object.fromEntries(named),
  };
}

function tagsOf(schemas: readonly ExportedSchema[]): JsonObject[] {
  const tags = schemas.map(({ loaded }) => {
    const { name, description, docs } = (loaded.main ?? {}) as JsonObject;
    const [url] = Array.isArray(docs) ? docs : [];
    const link = typeof url === 'string' && URL.canParse(url) ? { externalDocs: { url } } : {};
    return [String(name), { name, description, ...link }] as const;
  });
  return [...new Map(tags).values()];
}
