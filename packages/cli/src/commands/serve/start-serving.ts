import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Finding } from '@schemakit/core';
import type { ServerOptions, ToolCatalog } from '@schemakit/server';
import { selectCatalog } from '@schemakit/server/catalog';
import { watchFiles } from '../../index/watch-files.ts';
import {
  type CommandResult,
  failWith,
  type Refused,
  refused,
  type Step,
  usageError,
} from '../../output/command-result.ts';
import { didYouMean } from '../../output/nearest-word.ts';
import { printFindings, sendFindings } from '../../output/print-findings.ts';
import { type Environment, environmentProblem, openEnvironment } from '../../settings/environment.ts';
import { openSecrets, openSettings } from '../../settings/open-settings.ts';
import { readSettings, type Settings } from '../../settings/read-settings.ts';
import { filesSource } from './files-source.ts';
import { lookText, type OpenedServing, openServing } from './open-serving.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';

interface Chosen {
  source: ServingSource;
  serverParams: Readonly<Record<string, string>>;
  environment: Environment | undefined;
}

/** Selects what to serve. With `withOthers`, URLs may select other groups if none is named. */
export async function chooseSource(
  flags: Pick<ServingFlags, 'group' | 'lock' | 'env' | 'yes' | 'envFile' | 'isolation'>,
  paths: readonly string[],
  { withOthers = false }: { withOthers?: boolean } = {},
): Promise<Step<Chosen>> {
  const { group: named = [], lock, isolation } = flags;
  if (paths.length > 0 && named.length > 0) {
    return refused('Paths and --group exclude each other.', 'Remove the paths, or --group.');
  }
  const read = paths.length > 0 ? { ok: true as const, settings: readSettings() } : openSettings();
  if (!read.ok) return read;
  const { settings } = read;
  const opened = await openEnvironment(flags, settings);
  if (!opened.ok) return opened;
  const { environment } = opened;
  const options = { lock, isolation, environment };
  const common = { ok: true as const, serverParams: openSecrets(settings, flags), environment };
  if (paths.length > 0) return { ...common, source: filesSource(await ownPaths(paths, settings), options) };
  const { groupsSource } = await import('./groups-source.ts');
  const groups = groupsSource(settings, { ...options, named, withOthers });
  return groups.ok ? { ...common, source: groups.source } : { ok: false, result: failWith(groups.findings) };
}

/** Paths may also name files and folders of a source, such as `catalog/demo`. */
async function ownPaths(paths: readonly string[], settings: Settings): Promise<readonly string[]> {
  if (paths.every((path) => existsSync(path))) return paths;
  const { schemaRoots, sourcePath } = await import('../../groups/schema-roots.ts');
  const roots = schemaRoots(settings);
  return paths.map((path) => sourcePath(path, roots));
}

interface Started {
  serving: OpenedServing;
  options: ServerOptions;
  onRefusal: ServerLog['onRefusal'];
  /** Reloads schemas when they change. Call it once the server runs, because clients wait for that. Returns a function that stops it. */
  watch: () => Promise<() => Promise<void>>;
}

/** Opens the catalog, prints its problems, and returns the server options that both transports share. */
export async function startServing(
  { source, serverParams, environment }: Chosen,
  flags: ServingFlags,
): Promise<Step<Started>> {
  const select = {
    ...(flags.namespace && { namespaces: flags.namespace }),
    ...(flags.tag && { tags: flags.tag }),
  };
  await askAboutGrants(source, flags);
  let whole: ToolCatalog | undefined;
  const shape = (catalog: ToolCatalog) => {
    whole ??= catalog;
    return selectCatalog(catalog, select);
  };
  const serving = await openServing(source, { serverParams, shape });
  const { findings, refused, catalog } = serving;
  const problems = findings.filter(isProblem);
  const refuse = (result: CommandResult): Refused => {
    printFindings([...refused, ...problems]);
    return { ok: false, result };
  };
  const { tools, prompts } = catalog.current;
  const isEmpty = tools.count === 0 && prompts.all.length === 0;
  if (refused.length > 0 || (isEmpty && findings.some(({ severity }) => severity === 'error'))) {
    return refuse(failWith(refused.length > 0 ? refused : findings));
  }
  const namespaces = environment === undefined ? [] : tools.all.map(({ namespace }) => namespace);
  const elsewhere = environmentProblem(environment, namespaces);
  if (elsewhere !== undefined) return refuse(elsewhere);
  if (isEmpty) return refuse(noTools(flags, source, whole?.tools.all ?? []));
  const checked = await checkToolFlags(flags, tools);
  if (!checked.ok) return refuse(checked.result);
  const log = openServerLog(flags.logLevel);
  sendFindings(log.findings);
  printFindings(problems);
  const options = servingOptions(flags, { source, ...checked, log });
  const watch = async () => (flags.watch ? watchSchemas(source, serving, log) : async () => {});
  return { ok: true, serving, options, onRefusal: log.onRefusal, watch };
}

/** Names what `--namespace` and `--tag` could have meant. */
function noTools(
  { namespace, tag }: Pick<ServingFlags, 'namespace' | 'tag'>,
  { subject }: ServingSource,
  all: ToolCatalog['tools']['all'],
): CommandResult {
  if (all.length === 0) return usageError(`${subject} has no tools.`, 'Activate one: schemakit add <tool>');
  const known = new Set(all.map((tool) => tool.namespace));
  const unknown = namespace?.find((name) => !known.has(name));
  if (unknown !== undefined) {
    const fix = didYouMean(unknown, known, `Namespaces: ${[...known].join(', ')}.`);
    return usageError(`No tool has the namespace ${unknown}.`, fix);
  }
  const tags = new Set(all.flatMap((tool) => tool.tags));
  const fix = tags.size === 0 ? 'Leave out --tag: the schemas have none.' : `Tags: ${[...tags].join(', ')}.`;
  return usageError(
    `No tool has ${namespace === undefined ? '' : 'this namespace and '}the tag ${tag?.join(', ')}.`,
    fix,
  );
}

/** Asks at a terminal for the grants that imported schemas lack, and says which are missing. */
async function askAboutGrants(source: ServingSource, { lock }: ServingFlags): Promise<void> {
  const files = source
    .look()
    .scan.files.flatMap(({ path, approved, mayBeSchema }) => (approved || !mayBeSchema ? [] : path));
  if (files.length === 0) return;
  const { askForGrants, missingGrants, waitingFindings } = await import('../../sources/send-grants.ts');
  await askForGrants(files, { lock });
  printFindings(waitingFindings(await missingGrants(files, { lock })));
}

function servingOptions(
  flags: ServingFlags,
  { source, pinned, select, log }: ToolFlags & { source: ServingSource; log: ServerLog },
): ServerOptions {
  const { onCall } = log;
  return {
    name: source.name,
    version: '0.1.0',
    discovery: flags.discovery === 'search' && { pinned },
    ...(select && { select }),
    selectArgument: flags.selectArgument,
    structured: flags.structured,
    apps: flags.apps,
    ...(flags.maxAnswer !== undefined && { maxAnswerLength: flags.maxAnswer }),
    upstream: {
      concurrency: flags.concurrency,
      ...(flags.rate > 0 && { requestsPerSecond: flags.rate }),
      ...(!flags.cache && { cache: false as const }),
    },
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
    ...(flags.confirmWrites && { confirmWrites: flags.confirmWrites }),
    ...(onCall && { onCall }),
    onError: (error) => log.complain(error.message.split('\n', 1)[0] ?? ''),
  };
}

/** The client asks for lists first, and must not wait until the watcher has looked at thousands of files. Milliseconds. */
const watchDelayMs = 1000;

export async function watchSchemas(
  source: Pick<ServingSource, 'paths' | 'look'>,
  { state, remember, reload }: Pick<OpenedServing, 'state' | 'remember' | 'reload'>,
  log: Pick<ServerLog, 'say' | 'complain'>,
): Promise<() => Promise<void>> {
  await wait(watchDelayMs);
  await remember();
  const work = async () => sayReload(await reload(), log);
  // A server over stdio ends when its input does.
  const watched = await watchFiles(() => source.paths, work, { keepsRunning: false, complain: log.complain });
  // Changes made before the watcher was ready.
  if (lookText(source.look()) !== state) watched.again();
  return watched.close;
}

function sayReload(findings: readonly Finding[], log: Pick<ServerLog, 'say'>): void {
  printFindings(findings.filter(isProblem));
  const isWhole = findings.every(({ severity }) => severity !== 'error');
  log.say(isWhole ? 'Schemas reloaded.' : 'Schemas reloaded; broken files keep their last good version.');
}

/** Warnings that users need: renamed tools, and missing secrets, without which calls fail. */
const userWarnings = new Set(['REF005', 'SECRET_MISSING']);

/** Whether a finding concerns the user of a server. Other warnings are for authors of schemas. */
function isProblem({ severity, code }: Finding): boolean {
  return severity === 'error' || userWarnings.has(code);
}

/** The flags that name tools, with their names on MCP. */
interface ToolFlags {
  pinned: readonly string[];
  select?: NonNullable<ServerOptions['select']>;
}

async function checkToolFlags(
  { pin = [], discovery, select = [] }: Pick<ServingFlags, 'pin' | 'discovery' | 'select'>,
  tools: Pick<ToolCatalog['tools'], 'all'>,
): Promise<Step<ToolFlags>> {
  // Do not read thousands of names without need.
  if (pin.length === 0 && select.length === 0) return { ok: true, pinned: [] };
  if (pin.length > 0 && discovery !== 'search') {
    return refused('--pin needs --discovery search: otherwise all tools are listed.', 'Add --discovery search.');
  }
  const { checkSelect } = await import('@schemakit/core');
  const { known, nameOf } = await nameTools(tools);
  const pinned: string[] = [];
  for (const text of pin) {
    const name = nameOf(text);
    if (name === undefined) return unknownTool('--pin', text, known);
    pinned.push(name);
  }
  const entries: [string, string][] = [];
  for (const text of select) {
    const end = text.indexOf('=');
    if (end === -1)
      return refused(`--select ${text} has no expression.`, 'Write: --select <tool>=<JMESPath expression>');
    const name = nameOf(text.slice(0, end));
    if (name === undefined) return unknownTool('--select', text.slice(0, end), known);
    const expression = text.slice(end + 1);
    const [problem] = await checkSelect(expression);
    if (problem) return refused(`--select ${name}: ${problem.message}`, problem.hint ?? 'Write a JMESPath expression.');
    entries.push([name, expression]);
  }
  return { ok: true, pinned, ...(entries.length > 0 && { select: Object.fromEntries(entries) }) };
}

/** The names of tools for users, and what finds the name on MCP for what a user wrote. */
export async function nameTools(tools: Pick<ToolCatalog['tools'], 'all'>): Promise<{
  known: readonly string[];
  nameOf: (text: string) => string | undefined;
}> {
  const { createToolResolver, toolNames } = await import('@schemakit/core');
  const all = tools.all.map(({ listing: { name }, namespace, toolName, file }) => ({
    ...{ name, namespace, toolName },
    ...(file !== undefined && { file }),
  }));
  const resolve = createToolResolver(all);
  return {
    known: all.map((tool) => toolNames(tool).cli),
    nameOf(text) {
      if (all.some(({ name }) => name === text)) return text;
      const { tools: found } = resolve(text);
      return found.length === 1 ? found[0]?.name : undefined;
    },
  };
}

export function unknownTool(flag: string, name: string, known: readonly string[]): Refused {
  const [example] = known;
  return refused(`${flag}: unknown tool ${name}.`, didYouMean(name, known, `A valid name is ${example}.`));
}
