import { type Finding, type LoadedSchema, nearestWord } from '@schemakit/core';
import { type CommandResult, failed } from '../output/command-result.ts';
import { envFiles } from '../settings/read-secrets.ts';
import type { Settings } from '../settings/read-settings.ts';
import { shownFile, type TestCase, type TestedRoute, testCasesOf } from './test-case.ts';
import { schemaRow, type TestRow } from './test-row.ts';

/** What a `schemakit test` is about. */
export interface TestSubject {
  schemas: readonly LoadedSchema[];
  routes: readonly TestedRoute[];
  /** References that lead nowhere. */
  lost: readonly Finding[];
  /** The source of a file, where that is known. */
  sourceOf?(file: string): string | undefined;
  /** Whether schemas are skipped that lack a secret, in place of ending the command. */
  skipsWithoutSecrets: boolean;
}

export type Selection =
  /** `rows` are those of schemas of which nothing runs. */
  { ok: true; tests: readonly TestCase[]; rows: readonly TestRow[] } | { ok: false; result: CommandResult };

interface SelectOptions {
  route?: string | undefined;
  serverParams: Readonly<Record<string, string>>;
  settings: Settings;
}

/** Picks the tests that can run, and says why others cannot. */
export function selectTests(subject: TestSubject, { route, serverParams, settings }: SelectOptions): Selection {
  const { schemas, sourceOf = () => undefined } = subject;
  const skipped = (schema: LoadedSchema, skipReason: string, code?: string) =>
    schemaRow(schema, { source: sourceOf(schema.file), skipReason, ...(code !== undefined && { code }) });
  const broken = schemas.filter(({ status }) => !status);
  const routes = route === undefined ? subject.routes : subject.routes.filter((known) => isNamed(known, route));
  if (route !== undefined && routes.length === 0 && broken.length === 0) return unknownRoute(route, subject.routes);
  const all = routes.flatMap(testCasesOf);
  const tested = new Set(all.map(({ schema }) => schema));
  const untested = new Set(routes.map(({ schema }) => schema).filter((schema) => !tested.has(schema)));
  const rows = [
    ...broken.map((schema) => schemaRow(schema, { source: sourceOf(schema.file) })),
    ...[...untested].map((schema) => skipped(schema, 'it has no tests')),
  ];
  const lacking = missingSecrets(all, serverParams);
  if (lacking.size > 0 && !subject.skipsWithoutSecrets) return secretsMissing(lacking, settings);
  for (const [schema, names] of lacking) {
    const reason = `${names.length === 1 ? 'a secret is' : 'secrets are'} not set: ${names.join(', ')}`;
    rows.push(skipped(schema, reason, 'SECRET_MISSING'));
  }
  return { ok: true, tests: all.filter(({ schema }) => !lacking.has(schema)), rows };
}

/** The server parameters that tests need, each once. */
export function secretNames(tests: readonly Pick<TestCase, 'exposed'>[]): string[] {
  return [...new Set(tests.flatMap(({ exposed }) => exposed.requiredServerParams))].sort();
}

function isNamed({ exposed: { namespace, toolName } }: TestedRoute, name: string): boolean {
  return [toolName, `${namespace}_${toolName}`, `${namespace}__${toolName}`].includes(name);
}

function unknownRoute(route: string, routes: readonly TestedRoute[]): Selection {
  const known = [...new Set(routes.map(({ exposed }) => exposed.toolName))];
  const meant = nearestWord(route, known);
  const all = known.length === 0 ? 'There are no routes.' : `Routes are: ${known.join(', ')}.`;
  const fix = meant === undefined ? all : `Did you mean ${meant}?`;
  return { ok: false, result: failed('notFound', { error: `There is no route ${route}.`, fix }) };
}

function missingSecrets(
  tests: readonly TestCase[],
  serverParams: Readonly<Record<string, string>>,
): Map<LoadedSchema, string[]> {
  const lacking = new Map<LoadedSchema, string[]>();
  for (const [schema, own] of Map.groupBy(tests, (test) => test.schema)) {
    const names = secretNames(own).filter((name) => !serverParams[name]);
    if (names.length > 0) lacking.set(schema, names);
  }
  return lacking;
}

function secretsMissing(lacking: ReadonlyMap<LoadedSchema, string[]>, settings: Settings): Selection {
  const names = [...new Set([...lacking.values()].flat())].sort();
  const missing = [...lacking].map(([{ main, file }, params]) => ({
    namespace: main?.namespace ?? null,
    file: shownFile(file),
    params,
  }));
  const error = `${names.length === 1 ? 'A secret is' : 'Secrets are'} not set: ${names.join(', ')}.`;
  const messages = names.map((name) => `Required server parameter ${name} is not set`);
  const fix = `Set ${names.length === 1 ? 'it' : 'them'} in the environment, or in ${envFiles(settings)[0]}. Recorded answers need none: --replay <folder>.`;
  return { ok: false, result: failed('missingSecret', { error, messages, missing, fix }) };
}
