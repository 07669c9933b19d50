import { join } from 'node:path';
import { type ExposedTool, loadSchemas } from '@schemakit/core';
import { openProgressLine } from '../../output/progress-line.ts';
import { commandHint, secretsHint } from '../../settings/command-hint.ts';
import { openSecrets } from '../../settings/open-settings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { recordingProblem } from '../../testing/recordings/before-recording.ts';
import { runRecorded } from '../../testing/run-recorded.ts';
import { runTests, type TestOutcome } from '../../testing/run-tests.ts';
import { secretNames } from '../../testing/select-tests.ts';
import { routesOf, type TestCase, type TestedRoute, testCasesOf } from '../../testing/test-case.ts';
import { approveOrigins } from './approve-origins.ts';
import { type AnsweredList, findArguments, type PathTool } from './find-arguments.ts';
import type { OutputDifference } from './output-differences.ts';
import { type Answered, writeAnswers } from './write-answers.ts';

/** What became of a tool. Those that were not answered keep their declared output. */
export interface TriedTool {
  /** On MCP, such as `pets__listPets`. */
  tool: string;
  result: 'answered' | 'failed' | 'not tried';
  /** Why it was not answered. */
  reason?: string;
  fix?: string;
  /** Arguments that the description does not have, and the tool whose answer they are from. */
  found?: { from: string; args: Readonly<Record<string, unknown>> };
  /** Where the answer was not as declared. */
  differences?: readonly OutputDifference[];
}

interface TryOptions {
  /** The folder of the schemas. */
  folder: string;
  /** What the user named, a description or a server: requests with secrets may go there, and it may be a private address. */
  named: string;
  envFile?: string | undefined;
}

/** An API that is new to somebody should not get hundreds of requests at once. */
const maxCalls = 50;

/**
 * Calls the read-only tools of the files that have their arguments, records the answers below `recordings`, and replaces declared outputs by
 * what was sent. Files are complete at any time.
 */
export async function tryTools(
  paths: readonly string[],
  { folder, named, envFile }: TryOptions,
): Promise<{ tried: TriedTool[]; recordings: string | undefined; tokens: ReadonlyMap<string, number> }> {
  const settings = readSettings();
  const serverParams = openSecrets(settings, { envFile });
  const { schemas } = await loadSchemas({ paths, approves: () => false });
  const approved = await approveOrigins(schemas, { named, serverParams });
  const loaded = await loadSchemas({ paths, approves: (file) => approved.has(file) });
  const routes = routesOf(loaded.schemas);
  const recordings = join(folder, 'recordings');
  const tried = new Map<TestedRoute, TriedTool>();
  const say = (route: TestedRoute, result: TriedTool['result'], about: Omit<TriedTool, 'tool' | 'result'> = {}) =>
    tried.set(route, { tool: route.exposed.listing.name, result, ...about });

  const readOnly = routes.filter((route) => {
    if (route.exposed.listing.annotations.readOnlyHint) return true;
    say(route, 'not tried', { reason: 'it may write' });
    return false;
  });
  const callable = readOnly.filter((route) => {
    const missing = secretNames([route]).filter((name) => !serverParams[name]);
    if (missing.length === 0) return true;
    const reason = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`;
    say(route, 'not tried', { reason, fix: secretsHint(missing, settings) });
    return false;
  });
  const names = secretNames(callable);
  const refused = callable.length === 0 ? undefined : await recordingProblem(recordings, { names, serverParams });
  if (refused !== undefined) {
    const { error, fix } = refused.document;
    for (const route of callable) say(route, 'not tried', { reason: error ?? '', ...(fix !== undefined && { fix }) });
    return finish([]);
  }
  const secrets = names.flatMap((name) => serverParams[name] ?? []);
  const answered = await callAll(callable, { recordings, serverParams, secrets, say });
  return finish(answered);

  async function finish(answers: readonly Answered[]) {
    const differences = await writeAnswers(answers);
    for (const [route, found] of differences) {
      const known = tried.get(route);
      if (known !== undefined && found.length > 0) tried.set(route, { ...known, differences: found });
    }
    const { schemas: after } = await loadSchemas({ paths });
    const tokens = new Map(
      routesOf(after).map(({ exposed: { listing } }) => [listing.name, Math.ceil(JSON.stringify(listing).length / 4)]),
    );
    const all = routes.flatMap((route) => tried.get(route) ?? []);
    return { tried: all, recordings: answers.length > 0 ? recordings : undefined, tokens };
  }
}

interface CallOptions {
  recordings: string;
  serverParams: Readonly<Record<string, string>>;
  secrets: readonly string[];
  say(route: TestedRoute, result: TriedTool['result'], about?: Omit<TriedTool, 'tool' | 'result'>): void;
}

/** Calls what has arguments, then what got them from the answers, until nothing is left. */
async function callAll(
  routes: readonly TestedRoute[],
  { recordings, serverParams, secrets, say }: CallOptions,
): Promise<Answered[]> {
  const line = openProgressLine();
  const answered: Answered[] = [];
  const lists: AnsweredList[] = [];
  const waiting = new Map(routes.map((route) => [route, pathToolOf(route)]));
  /** Origins that asked to wait. */
  const busy = new Set<string>();
  let calls = 0;
  const run = async (test: TestCase): Promise<TestOutcome> => {
    if (busy.has(test.origin)) {
      const reason = `${test.origin} asked to wait`;
      return { test, status: 'skipped', reason, findings: [], data: undefined, durationMs: 0 };
    }
    const folder = { kind: 'record', folder: recordings } as const;
    const outcome = await runRecorded(test, { recordings: folder, serverParams, secrets, strict: false });
    if (outcome.findings.some(({ code }) => code === 'HTTP_429')) busy.add(test.origin);
    return outcome;
  };
  const onDone = ({ test }: TestOutcome) => line.show(`Trying ${test.exposed.listing.name}`);
  for (;;) {
    const ready = [...waiting].flatMap(([route, tool]) => testsFor(route, tool, lists) ?? []);
    for (const { route } of ready) waiting.delete(route);
    const room = maxCalls - calls;
    for (const { route } of ready.slice(room)) {
      const fix = 'Choose others with --select, or call them with: schemakit test single';
      say(route, 'not tried', { reason: `${maxCalls} calls were made`, fix });
    }
    const now = ready.slice(0, room);
    if (now.length === 0) break;
    calls += now.length;
    const outcomes = await runTests(
      now.map(({ test }) => test),
      { run, onDone, concurrency: 2, delayMs: 0, retries: 0 },
    );
    for (const [index, outcome] of outcomes.entries()) {
      const { route, found } = now[index] as (typeof now)[number];
      const { status, data, reason = '' } = outcome;
      if (status === 'skipped') say(route, 'not tried', { reason, fix: 'Try again later.' });
      else if (status === 'failed') say(route, 'failed', failureOf(outcome));
      else {
        say(route, 'answered', found && { found });
        answered.push({ route, outcome, ...(found && { found }) });
        lists.push({ tool: pathToolOf(route), userParams: outcome.test.userParams, data });
      }
    }
  }
  line.clear();
  for (const [route, { required }] of waiting) {
    const fix = 'Add an example to the description, or a test to the tool.';
    say(route, 'not tried', { reason: `needs ${required.join(', ')}`, fix });
  }
  return answered;
}

interface ReadyCall {
  route: TestedRoute;
  test: TestCase;
  found?: NonNullable<TriedTool['found']>;
}

/** The call of a tool: its first test, from an example of the description; else with arguments from answers. */
function testsFor(route: TestedRoute, tool: PathTool, lists: readonly AnsweredList[]): ReadyCall | undefined {
  const [own] = testCasesOf(route);
  if (own !== undefined) return { route, test: own };
  const given = findArguments(tool, lists);
  if (given === undefined) return undefined;
  const found = { ...given, args: asTyped(given.args, route.exposed) };
  const description = `With the first item of ${found.from}`;
  const [test] = testCasesOf(withTest(route, { _description: description, ...found.args }));
  return test && { route, test, found };
}

/** An id that is sent as a number may be declared as text. */
function asTyped(args: Readonly<Record<string, unknown>>, { listing }: ExposedTool): Record<string, unknown> {
  const { properties } = listing.inputSchema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, properties?.[key]?.type === 'string' ? String(value) : value]),
  );
}

/** The same tool, as if its file had the test. */
function withTest(route: TestedRoute, test: Readonly<Record<string, unknown>>): TestedRoute {
  const main = route.schema.main as { tools?: Record<string, object> } | null;
  const { toolName } = route.exposed;
  const tools = { ...main?.tools, [toolName]: { ...main?.tools?.[toolName], tests: [test] } };
  return { ...route, schema: { ...route.schema, main: { ...main, tools } } as TestedRoute['schema'] };
}

function pathToolOf({ schema, exposed }: TestedRoute): PathTool {
  const { tools } = (schema.main ?? {}) as { tools?: Record<string, { path?: string }> };
  return { name: exposed.toolName, path: tools?.[exposed.toolName]?.path ?? '', required: requiredOf(exposed) };
}

function requiredOf({ listing }: ExposedTool): readonly string[] {
  const { required } = listing.inputSchema as { required?: readonly string[] };
  return required ?? [];
}

function failureOf({ test, findings }: TestOutcome): Pick<TriedTool, 'reason' | 'fix'> {
  const error = findings.find(({ severity }) => severity === 'error');
  const { code, message: reason = 'it failed', hint } = error ?? {};
  if (code === 'ADDRESS_BLOCKED') {
    const fix = `Only the description names this private address. If requests may go there: --server ${test.origin}`;
    return { reason, fix };
  }
  if (code === 'SEND_NOT_GRANTED') {
    const fix = `Only the description names this address. If it may have the secret: --server <address>, or schemakit test single`;
    return { reason, fix };
  }
  return { reason, ...(hint !== undefined && { fix: commandHint(hint) }) };
}
