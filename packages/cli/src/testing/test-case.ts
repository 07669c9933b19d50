import { basename, relative } from 'node:path';
import { type ExposedTool, exposeSchemas, type LoadedSchema } from '@schemakit/core';
import type { Environment } from '../settings/environment.ts';
import { isRecord } from '../settings/parse-json.ts';

/** A tool or resource query that may have tests. */
export interface TestedRoute {
  schema: LoadedSchema;
  exposed: ExposedTool;
  source?: string | undefined;
}

/** One test of a tool: a call that should succeed, unless `_expect` says otherwise. */
export interface TestCase extends TestedRoute {
  namespace: string;
  routeName: string;
  /** From 1, in the order of the schema. */
  number: number;
  description: string;
  userParams: Readonly<Record<string, unknown>>;
  /** `_expect` as written. */
  expect: unknown;
  /** The origin of `root`, or `root` itself. */
  origin: string;
}

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

/** The tests of a tool; see docs/format.md, "Tests". */
export function testCasesOf(route: TestedRoute, roots: Environment['roots'] = {}): TestCase[] {
  const { schema, exposed } = route;
  const { namespace, toolName, resource } = exposed;
  const main: Record<string, unknown> = schema.main ?? {};
  const { tests } =
    resource === undefined
      ? partOf(main.tools ?? main.routes, toolName)
      : partOf(partOf(main.resources, resource.resourceName).queries, toolName.slice(resource.resourceName.length + 1));
  const root = Object.hasOwn(roots, namespace) ? (roots[namespace] ?? '') : String(main.root ?? '');
  return (Array.isArray(tests) ? tests.filter(isRecord) : []).map((test, index) => {
    const { _description, _expect } = test;
    return {
      ...route,
      namespace,
      routeName: toolName,
      number: index + 1,
      description: typeof _description === 'string' && _description !== '' ? _description : `Test ${index + 1}`,
      expect: _expect,
      userParams: Object.fromEntries(Object.entries(test).filter(([key]) => !key.startsWith('_'))),
      origin: originOf(root),
    };
  });
}

function originOf(root: string): string {
  const url = URL.parse(root);
  return url === null || url.origin === 'null' ? root : url.origin;
}

function partOf(value: unknown, key: string): Record<string, unknown> {
  const part = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(part) ? part : {};
}

export function testLabel(test: TestCase): string {
  return `${routeLabel(test)} ${test.number}`;
}

export function routeLabel({ namespace, routeName }: { namespace: string; routeName: string }): string {
  return `${namespace}_${routeName}`;
}

export function shownFile(file: string): string {
  return relative(process.cwd(), file) || basename(file);
}
