import { basename, relative } from 'node:path';
import { type ExposedTool, exposeSchemas, type LoadedSchema } from '@schemakit/core';
import { isRecord } from '../settings/read-json.ts';

/** A tool, or a query of a database, that may have tests. */
export interface TestedRoute {
  schema: LoadedSchema;
  exposed: ExposedTool;
  /** The source that its file belongs to, where that is known. */
  source?: string | undefined;
}

/** One test of a route: a call that should succeed. */
export interface TestCase extends TestedRoute {
  namespace: string;
  routeName: string;
  /** From 1, in the order of the schema. */
  number: number;
  description: string;
  userParams: Readonly<Record<string, unknown>>;
  /** Where its requests go, as far as the schema says. */
  host: string;
}

/** The routes of schemas that loaded. */
export function routesOf(
  schemas: readonly LoadedSchema[],
  source?: (file: string) => string | undefined,
): TestedRoute[] {
  return schemas
    .filter(({ status }) => status)
    .flatMap((schema) =>
      exposeSchemas([schema]).map((exposed) => ({ schema, exposed, source: source?.(schema.file) })),
    );
}

/** The tests of a route as the schema has them (specification 2.2): the arguments, and `_description` beside them. */
export function testCasesOf(route: TestedRoute): TestCase[] {
  const { schema, exposed } = route;
  const { namespace, toolName, resource } = exposed;
  const main: Record<string, unknown> = schema.main ?? {};
  const { tests } =
    resource === undefined
      ? partOf(main.tools ?? main.routes, toolName)
      : partOf(partOf(main.resources, resource.resourceName).queries, toolName.slice(resource.resourceName.length + 1));
  const root = String(main.root ?? '');
  return (Array.isArray(tests) ? tests.filter(isRecord) : []).map((test, index) => {
    const { _description } = test;
    return {
      ...route,
      namespace,
      routeName: toolName,
      number: index + 1,
      description: typeof _description === 'string' && _description !== '' ? _description : `Test ${index + 1}`,
      userParams: Object.fromEntries(Object.entries(test).filter(([key]) => !key.startsWith('_'))),
      host: URL.parse(root)?.host ?? root,
    };
  });
}

function partOf(value: unknown, key: string): Record<string, unknown> {
  const part = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(part) ? part : {};
}

/** The name of a test for a person. */
export function testLabel(test: TestCase): string {
  return `${routeLabel(test)} ${test.number}`;
}

/** The name of a route as the command line writes it. */
export function routeLabel({ namespace, routeName }: { namespace: string; routeName: string }): string {
  return `${namespace}_${routeName}`;
}

/** The path of a schema as a person in the working folder writes it. */
export function shownFile(file: string): string {
  return relative(process.cwd(), file) || basename(file);
}
