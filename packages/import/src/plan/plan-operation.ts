import { isObject } from '@schemakit/core/internal';
import { joinPointer } from '../read/json-pointer.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { ImportContext, Located } from './import-context.ts';
import { type PlannedAuth, planAuth } from './plan-auth.ts';
import { planBody } from './plan-body.ts';
import { planOutput } from './plan-output.ts';
import { planPagination } from './plan-pagination.ts';
import { planParameters } from './plan-parameters.ts';
import { planServer } from './plan-server.ts';
import { planTests } from './plan-tests.ts';
import { type PlannedParameter, withFixedValue } from './planned-parameter.ts';
import { zBlock } from './shape.ts';
import { shortenText } from './shorten-text.ts';

/** An operation of the document, before anything is decided about it. */
export interface OperationEntry {
  /** The key in the document, such as `get`, in capitals; `query` or `mutation` of GraphQL. */
  method: string;
  /** The name of a query or mutation. */
  path: string;
  /** What divides large groups, where it is not the path. */
  parts?: readonly string[];
  pathItem: Located<JsonObject>;
  operation: Located<JsonObject>;
}

/** An operation as a tool. */
export interface OperationPlan {
  entry: OperationEntry;
  root: string;
  auth: PlannedAuth;
  /** The tool, as it stands in the file. */
  tool: JsonObject;
  /** Markdown that the descriptions of the tool only begin. */
  notes: readonly { title: string; text: string }[];
  /** Address of further documentation. */
  docs: string | undefined;
}

export interface PlanOptions {
  namespace: string;
  server: string | undefined;
  url: string | undefined;
  /** Where examples are from, if the document was made of something else. */
  examples?: string | undefined;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

const maxDescription = 400;

/** Plans the tool of an operation. What the format cannot say goes to the context. */
export function planOperation(entry: OperationEntry, options: PlanOptions, context: ImportContext): OperationPlan {
  const { method, path, pathItem, operation } = entry;
  if (!methods.includes(method)) {
    const hint = 'The format has GET, HEAD, POST, PUT, PATCH and DELETE. Write the tool by hand, with a handler.';
    context.leaveOut('IMP010', operation.pointer, `the method ${method} is not supported`, hint);
  }
  const { document } = context;
  const under = ({ value, pointer }: Located<JsonObject>, key: string) => ({
    value: value[key],
    pointer: joinPointer(pointer, key),
  });
  const servers = [
    under(operation, 'servers'),
    under(pathItem, 'servers'),
    { value: document.servers, pointer: '/servers' },
  ];
  const root = planServer(servers, options, context);
  const auth = planAuth(operation, options.namespace, context);
  const body = planBody(operation, method, context);
  const holders = [under(pathItem, 'parameters'), under(operation, 'parameters')];
  const bodyKeys = new Set(body.parameters.map(({ key }) => key));
  const route = planParameters({ path, holders, bodyKeys }, context);
  const parameters = [...auth.parameters, ...joined(route.parameters, body.parameters, operation, context)].map(
    withFixedValue,
  );
  const planned = planOutput(operation, context);
  const pagination = planPagination(planned, { method, parameters });
  const tests = planTests({ method, parameters }, body.examples, options.examples);
  const { text, isCut, full } = describeOperation(entry);
  const tool = {
    method,
    path: route.path,
    description: text,
    ...(body.contentType !== undefined && { headers: { 'Content-Type': body.contentType } }),
    ...(planned.accept !== undefined && { accept: planned.accept }),
    ...(body.encoding !== undefined && { encoding: body.encoding }),
    parameters: parameters.map(writtenParameter),
    ...(route.idempotencyHeader !== undefined && { idempotency: { header: route.idempotencyHeader } }),
    ...(pagination !== undefined && { pagination }),
    output: planned.output,
    ...(tests.length > 0 && { tests }),
  };
  const notes = [
    ...(isCut ? [{ title: '', text: full }] : []),
    ...parameters.flatMap(({ key, fullText }) => (fullText === undefined ? [] : [{ title: key, text: fullText }])),
  ];
  const { externalDocs } = operation.value;
  const docs = isObject(externalDocs) && typeof externalDocs.url === 'string' ? externalDocs.url : undefined;
  return { entry, root, auth, tool, notes, docs };
}

/** A member of the body has the name of a parameter elsewhere: one of them cannot be given. */
function joined(
  parameters: readonly PlannedParameter[],
  body: readonly PlannedParameter[],
  operation: Located,
  context: ImportContext,
): PlannedParameter[] {
  const keys = new Set(parameters.map(({ key }) => key));
  const kept = body.filter(({ key, shape }) => {
    if (!keys.has(key)) return true;
    const message = `${JSON.stringify(key)} in the body: another parameter has that name`;
    if (!shape.optional)
      context.leaveOut('IMP013', operation.pointer, message, 'Write the tool by hand, with a handler.');
    context.omit('IMP020', operation.pointer, message, 'The tool works without it.');
    return false;
  });
  return [...parameters, ...kept];
}

/** A parameter as it stands in the file. */
export function writtenParameter({ key, location, shape, value, style, explode, whole }: PlannedParameter): JsonObject {
  const position = {
    key,
    value: value ?? '{{USER_PARAM}}',
    location,
    ...(style !== undefined && { style }),
    ...(explode !== undefined && { explode }),
    ...(whole && { whole }),
  };
  return { position, z: zBlock(shape) };
}

function describeOperation({ method, path, operation }: OperationEntry): {
  text: string;
  isCut: boolean;
  full: string;
} {
  const { summary, description, deprecated } = operation.value;
  const title = shortenText(summary, maxDescription).text;
  const details = typeof description === 'string' ? description : '';
  const isRepeated = title === '' || shortenText(details, 2000).text.toLowerCase().startsWith(title.toLowerCase());
  const sentence = isRepeated ? '' : /[.!?:…]$/.test(title) ? `${title} ` : `${title}. `;
  const { text, isCut } = shortenText(
    `${deprecated === true ? 'Deprecated. ' : ''}${sentence}${details}`,
    maxDescription,
  );
  return { text: text || `${method} ${path}`, isCut, full: details };
}
