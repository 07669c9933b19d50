import type { Finding } from '@schemakit/core';
import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { handlersText } from './graphql/handlers-text.ts';
import { inputSchemas } from './graphql/input-schemas.ts';
import { planField, type RootField } from './graphql/plan-field.ts';
import { itemType } from './graphql/plan-selection.ts';
import { readGraphqlSchema } from './graphql/read-schema.ts';
import { namespaceOf } from './group/namespace-of.ts';
import { importFinding, type Omission } from './import-codes.ts';
import {
  failedImport,
  type ImportOptions,
  type ImportResult,
  importOperations,
  optionProblem,
} from './import-openapi.ts';
import type { ImportContext } from './plan/import-context.ts';
import type { OperationEntry } from './plan/plan-operation.ts';

/**
 * Turns a GraphQL schema (SDL, or the answer to an introspection query, as text or parsed) into schema files with a tool for each query and
 * mutation. `server` is the address of the endpoint. Fields that answers are not asked for are in `omissions`, whose places are schema
 * coordinates such as `Pet.owner`. Never throws: findings are `IMP…` (docs/errors.md).
 *
 * @example
 * const { tools } = importGraphql('type Query { pets(first: Int): [Pet!]! } type Pet { name: String }', {
 *   server: 'https://pets.example.com/graphql',
 * });
 * console.log(tools[0]?.name); // pets__pets
 */
export function importGraphql(source: string | object, options: ImportOptions = {}): ImportResult {
  const wrong = optionProblem(options);
  if (wrong !== undefined) return failedImport([wrong]);
  const read = readGraphqlSchema(source);
  if (!read.ok) return failedImport([read.finding]);
  const { schema, findings } = read;
  const roots = rootFields(schema);
  if (roots.length === 0) {
    const hint = 'Give the whole schema of the endpoint, with its query type.';
    return failedImport([importFinding('IMP004', 'the schema has no queries and no mutations', { hint })]);
  }
  const endpoint = URL.parse(options.server ?? '');
  if (endpoint === null) {
    const hint = 'Say where it is: --server https://api.example.com/graphql (`server` in the library).';
    return failedImport([importFinding('IMP005', 'a GraphQL schema does not say where its endpoint is', { hint })]);
  }
  const { types, omissions } = inputSchemas(schema);
  const document = { info: { description: schema.description ?? '' }, types };
  const namespace = options.namespace ?? namespaceOf({}, endpoint.href);
  const taken = new Set(roots.map(({ kind, field }) => `${kind} ${plainName(field.name)}`));
  const operations = roots.map((root) => {
    const entry = entryOf(root, taken);
    return { entry, plan: (context: ImportContext) => planField(root, { entry, schema, endpoint }, context) };
  });
  const described = {
    document,
    from: 'GraphQL',
    namespace,
    operations,
    omissions: [...subscriptions(schema), ...omissions, ...nullArguments(roots)],
    handlers: handlersText,
  };
  const result = importOperations(described, options);
  const all = [...findings, ...result.findings, ...(result.status ? [credentials(namespace)] : [])];
  return { ...result, findings: all, messages: all.map(({ code, message }) => `${code} ${message}`) };
}

function rootFields(schema: GraphQLSchema): RootField[] {
  const kinds = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  return kinds.flatMap(([kind, type]) =>
    type ? Object.values(type.getFields()).map((field) => ({ kind, owner: type.name, field })) : [],
  );
}

/** Names that are the same in camelCase. */
function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** A query and a mutation of the same name are told apart by their kinds, wherever they stand. */
function entryOf({ kind, owner, field }: RootField, taken: ReadonlySet<string>): OperationEntry {
  const { name } = field;
  const isTaken = taken.has(`${kind === 'query' ? 'mutation' : 'query'} ${plainName(name)}`);
  const pointer = `${owner}.${name}`;
  const tags = [kind === 'query' ? 'queries' : 'mutations'];
  const value = { operationId: isTaken ? `${kind}_${name}` : name, tags };
  return {
    method: kind,
    path: name,
    parts: [entityOf(field.type), name],
    pathItem: { value: {}, pointer },
    operation: { value, pointer },
  };
}

/** What a query or mutation is about: the type of its answer, without pages and payloads around it. */
function entityOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named)) return named.name;
  const item = itemType(named);
  if (item !== named || !/(Payload|Result|Response)$/.test(named.name)) return item.name;
  const inner = Object.values(named.getFields()).find((field) => isObjectType(getNamedType(field.type)));
  return inner === undefined ? named.name : getNamedType(inner.type).name;
}

function subscriptions(schema: GraphQLSchema): Omission[] {
  const type = schema.getSubscriptionType();
  return Object.keys(type?.getFields() ?? {}).map((name) => ({
    code: 'IMP024',
    pointer: `${type?.name}.${name}`,
    message: `the subscription ${name}, which the API answers again and again`,
    hint: 'A tool gets one answer. Ask with a query.',
  }));
}

function nullArguments(roots: readonly RootField[]): Omission[] {
  const names = roots.flatMap(({ owner, field }) =>
    field.args.flatMap(({ name, type }) => (isNonNullType(type) ? [] : [`${owner}.${field.name}(${name}:)`])),
  );
  const [first] = names;
  if (first === undefined) return [];
  const message = `null for an argument counts as left out (${names.length} ${names.length === 1 ? 'argument takes' : 'arguments take'} it)`;
  return [{ code: 'IMP021', pointer: first, message, hint: 'Inside of objects and lists, null is sent.' }];
}

function credentials(namespace: string): Finding {
  const secret = `${namespace.toUpperCase()}_TOKEN`;
  const hint = `If it needs a key, add to each file: requiredServerParams: ['${secret}'], auth: { type: 'bearer', token: '{{${secret}}}' }.`;
  return importFinding('IMP033', 'a GraphQL schema does not say which credentials the endpoint needs', { hint });
}
