import type { Finding } from '@schemakit/core';
import type { ServerOptions } from '@schemakit/server';
import { selectCatalog } from '@schemakit/server/catalog';
import { type CommandResult, failWith, usageError } from '../../output/command-result.ts';
import { didYouMean } from '../../output/nearest-word.ts';
import { printFindings, sendFindings } from '../../output/print-findings.ts';
import { type Environment, environmentProblem, openEnvironment } from '../../settings/environment.ts';
import { openSecrets, openSettings } from '../../settings/open-settings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { filesSource } from './files-source.ts';
import { lookText, type OpenedServing, openServing } from './open-serving.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';
import { watchSchemas } from './watch-schemas.ts';

export type ChosenSource =
  | {
      ok: true;
      source: ServingSource;
      serverParams: Readonly<Record<string, string>>;
      environment: Environment | undefined;
    }
  | { ok: false; result: CommandResult };

/** Selects what to serve. With `withOthers`, URLs may select other groups if none is named. */
export async function chooseSource(
  flags: Pick<ServingFlags, 'group' | 'lock' | 'env' | 'yes' | 'envFile' | 'isolation'>,
  paths: readonly string[],
  { withOthers = false }: { withOthers?: boolean } = {},
): Promise<ChosenSource> {
  const { group: named = [], lock, isolation } = flags;
  if (paths.length > 0 && named.length > 0) {
    return { ok: false, result: usageError('Paths and --group exclude each other.', 'Remove the paths, or --group.') };
  }
  const read = paths.length > 0 ? { ok: true as const, settings: readSettings() } : openSettings();
  if (!read.ok) return read;
  const { settings } = read;
  const opened = await openEnvironment(flags, settings);
  if (!opened.ok) return opened;
  const { environment } = opened;
  const options = { lock, isolation, environment };
  const common = { ok: true as const, serverParams: openSecrets(settings, flags), environment };
  if (paths.length > 0) return { ...common, source: filesSource(paths, options) };
  const { groupsSource } = await import('./groups-source.ts');
  const groups = groupsSource(settings, { ...options, named, withOthers });
  return groups.ok ? { ...common, source: groups.source } : { ok: false, result: failWith(groups.findings) };
}

export type StartedServing =
  | {
      ok: true;
      serving: OpenedServing;
      options: ServerOptions;
      onRefusal: ServerLog['onRefusal'];
      /** Reloads schemas when they change. Call it once the server runs, because clients wait for that. Returns a function that stops it. */
      watch: () => Promise<() => Promise<void>>;
    }
  | { ok: false; result: CommandResult };

/** Opens the catalog, prints its problems, and returns the server options that both transports share. */
export async function startServing(
  { source, serverParams, environment }: Extract<ChosenSource, { ok: true }>,
  flags: ServingFlags,
): Promise<StartedServing> {
  const select = {
    ...(flags.namespace && { namespaces: flags.namespace }),
    ...(flags.tag && { tags: flags.tag }),
  };
  await askAboutSecrets(source, flags);
  const serving = await openServing(source, { serverParams, shape: (catalog) => selectCatalog(catalog, select) });
  const { findings, refused, catalog } = serving;
  const problems = findings.filter(isProblem);
  const refuse = (result: CommandResult): StartedServing => {
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
  if (isEmpty) {
    const isPart = flags.namespace !== undefined || flags.tag !== undefined;
    const error = isPart ? 'No tool has this namespace and tag.' : `${source.subject} has no tools.`;
    return refuse(
      usageError(
        error,
        isPart ? 'Remove --namespace and --tag, or check their spelling.' : 'Activate one: schemakit add <tool>',
      ),
    );
  }
  const checked = await checkToolFlags(flags, tools);
  if (!checked.ok) return refuse(checked.result);
  const log = openServerLog(flags.logLevel);
  sendFindings(log.findings);
  printFindings(problems);
  const options = servingOptions(flags, { source, select: checked.select, log });
  const watch = async () => {
    if (!flags.watch) return async () => {};
    const onReload = (found: readonly Finding[]) => sayReload(found, log);
    const look = () => lookText(source.look());
    return watchSchemas({ ...serving, paths: () => source.paths, look, onReload, complain: log.complain });
  };
  return { ok: true, serving, options, onRefusal: log.onRefusal, watch };
}

/** Asks at a terminal whether imported schemas may send secrets, and says which of them may not. */
async function askAboutSecrets(source: ServingSource, { lock }: ServingFlags): Promise<void> {
  const files = source
    .look()
    .scan.files.flatMap(({ path, approved, mayBeSchema }) => (approved || !mayBeSchema ? [] : path));
  if (files.length === 0) return;
  const { askToSend, waitingFindings, waitingSecrets } = await import('../../sources/send-grants.ts');
  await askToSend(files, { lock });
  printFindings(waitingFindings(waitingSecrets(files, { lock })));
}

function servingOptions(
  flags: ServingFlags,
  { source, select, log }: { source: ServingSource; select: ServerOptions['select'] | undefined; log: ServerLog },
): ServerOptions {
  const { onCall } = log;
  return {
    name: source.name,
    version: '0.1.0',
    discovery: flags.discovery === 'search' && { pinned: flags.pin ?? [] },
    ...(select && { select }),
    selectArgument: flags.selectArgument,
    structured: flags.structured,
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

function sayReload(findings: readonly Finding[], log: ServerLog): void {
  log.findings(findings.filter(isProblem));
  const isWhole = findings.every(({ severity }) => severity !== 'error');
  log.say(isWhole ? 'Schemas reloaded.' : 'Schemas reloaded; broken files keep their last good version.');
}

/** Warnings that users need: renamed tools, and missing secrets, without which calls fail. */
const userWarnings = new Set(['REF005', 'SECRET_MISSING']);

/** Whether a finding concerns the user of a server. Other warnings are for authors of schemas. */
function isProblem({ severity, code }: Finding): boolean {
  return severity === 'error' || userWarnings.has(code);
}

type Checked = { ok: true; select?: NonNullable<ServerOptions['select']> } | { ok: false; result: CommandResult };

async function checkToolFlags(
  { pin, discovery, select = [] }: Pick<ServingFlags, 'pin' | 'discovery' | 'select'>,
  tools: { readonly list: readonly { name: string }[] },
): Promise<Checked> {
  // Do not read thousands of names without need.
  if (pin === undefined && select.length === 0) return { ok: true };
  const known = new Set(tools.list.map(({ name }) => name));
  if (pin !== undefined && discovery !== 'search') {
    return refused('--pin needs --discovery search: otherwise all tools are listed.', 'Add --discovery search.');
  }
  const unknownPin = pin?.find((name) => !known.has(name));
  if (unknownPin !== undefined) return unknownTool('--pin', unknownPin, known);
  const entries = select.map((text) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)] as const);
  for (const [index, [name, expression]] of entries.entries()) {
    if (!select[index]?.includes('=')) {
      return refused(`--select ${select[index]} has no expression.`, 'Write: --select <tool>=<JMESPath expression>');
    }
    if (!known.has(name)) return unknownTool('--select', name, known);
    const { checkSelect } = await import('@schemakit/core');
    const [problem] = await checkSelect(expression);
    if (problem) return refused(`--select ${name}: ${problem.message}`, problem.hint ?? 'Write a JMESPath expression.');
  }
  return { ok: true, ...(entries.length > 0 && { select: Object.fromEntries(entries) }) };
}

function unknownTool(flag: string, name: string, known: ReadonlySet<string>): Checked {
  const [example] = known;
  return refused(`${flag}: unknown tool ${name}.`, didYouMean(name, known, `A valid name is ${example}.`));
}

function refused(error: string, fix: string): Checked {
  return { ok: false, result: usageError(error, fix) };
}
