import { createToolResolver, type Finding, type LoadedSchema } from '@schemakit/core';
import { failed, type Step } from '../output/command-result.ts';
import { didYouMean } from '../output/nearest-word.ts';
import { secretsHint } from '../settings/command-hint.ts';
import { type Environment, environmentProblem, namespacesOf } from '../settings/environment.ts';
import type { Settings } from '../settings/read-settings.ts';
import { shownFile, type TestCase, type TestedRoute, testCasesOf } from './test-case.ts';
import { schemaRow, type TestRow } from './test-row.ts';

export interface TestTarget {
  schemas: readonly LoadedSchema[];
  routes: readonly TestedRoute[];
  dangling: readonly Finding[];
  sourceOf?(file: string): string | undefined;
  environment?: Environment | undefined;
  /** Whether to skip schemas without their secrets instead of failing. */
  skipsWithoutSecrets: boolean;
}

/** `rows`: schemas without runnable tests. */
type Selection = Step<{ tests: readonly TestCase[]; rows: readonly TestRow[] }>;

interface SelectOptions {
  route?: string | undefined;
  serverParams: Readonly<Record<string, string>>;
  settings: Settings;
}

export function selectTests(target: TestTarget, { route, serverParams, settings }: SelectOptions): Selection {
  const { schemas, sourceOf = () => undefined, environment } = target;
  const elsewhere = environmentProblem(environment, namespacesOf(schemas));
  if (elsewhere !== undefined) return { ok: false, result: elsewhere };
  const skipped = (schema: LoadedSchema, skipReason: string, code?: string) =>
    schemaRow(schema, { source: sourceOf(schema.file), skipReason, ...(code !== undefined && { code }) });
  const broken = schemas.filter(({ status }) => !status);
  const routes = route === undefined ? target.routes : routesNamed(route, target.routes);
  if (route !== undefined && routes.length === 0 && broken.length === 0) return unknownRoute(route, target.routes);
  const all = routes.flatMap((known) => testCasesOf(known, environment?.roots));
  const tested = new Set(all.map(({ schema }) => schema));
  const untested = new Set(routes.map(({ schema }) => schema).filter((schema) => !tested.has(schema)));
  const rows = [
    ...broken.map((schema) => schemaRow(schema, { source: sourceOf(schema.file) })),
    ...[...untested].map((schema) => skipped(schema, 'it has no tests')),
  ];
  const missing = missingBySchema(all, serverParams);
  if (missing.size > 0 && !target.skipsWithoutSecrets) return secretsMissing(missing, settings);
  for (const [schema, names] of missing) {
    const reason = `${names.length === 1 ? 'a secret is' : 'secrets are'} not set: ${names.join(', ')}`;
    rows.push(skipped(schema, reason, 'SECRET_MISSING'));
  }
  return { ok: true, tests: all.filter(({ schema }) => !missing.has(schema)), rows };
}

export function secretNames(tests: readonly Pick<TestCase, 'exposed'>[]): string[] {
  return [...new Set(tests.flatMap(({ exposed }) => exposed.requiredServerParams))].sort();
}

/** The tools of a name in any form; all of them if several have it. */
function routesNamed(name: string, routes: readonly TestedRoute[]): readonly TestedRoute[] {
  const places = routes.map((route) => {
    const { exposed, schema } = route;
    return { route, namespace: exposed.namespace, toolName: exposed.toolName, file: schema.file };
  });
  const same = places.filter(({ toolName }) => toolName === name);
  return (same.length > 0 ? same : createToolResolver(places)(name).tools).map(({ route }) => route);
}

function unknownRoute(route: string, routes: readonly TestedRoute[]): Selection {
  const known = [...new Set(routes.map(({ exposed }) => exposed.toolName))];
  const all = known.length === 0 ? 'There are no tools with tests.' : `Tools: ${known.join(', ')}.`;
  return { ok: false, result: failed('notFound', { error: `No tool ${route}.`, fix: didYouMean(route, known, all) }) };
}

function missingBySchema(
  tests: readonly TestCase[],
  serverParams: Readonly<Record<string, string>>,
): Map<LoadedSchema, string[]> {
  const missing = new Map<LoadedSchema, string[]>();
  for (const [schema, own] of Map.groupBy(tests, (test) => test.schema)) {
    const names = secretNames(own).filter((name) => !serverParams[name]);
    if (names.length > 0) missing.set(schema, names);
  }
  return missing;
}

function secretsMissing(bySchema: ReadonlyMap<LoadedSchema, string[]>, settings: Settings): Selection {
  const names = [...new Set([...bySchema.values()].flat())].sort();
  const missing = [...bySchema].map(([{ main, file }, params]) => ({
    namespace: main?.namespace ?? null,
    file: shownFile(file),
    params,
  }));
  const error = `${names.length === 1 ? 'A secret is' : 'Secrets are'} not set: ${names.join(', ')}.`;
  const messages = names.map((name) => `Required server parameter ${name} is not set`);
  const fix = `${secretsHint(names, settings)} Replay needs none: --replay <folder>.`;
  return { ok: false, result: failed('missingSecret', { error, messages, missing, fix }) };
}
