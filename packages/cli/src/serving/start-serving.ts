import type { Finding } from '@schemakit/core';
import type { ServerOptions } from '@schemakit/server';
import { selectCatalog } from '@schemakit/server/catalog';
import { nearestWord } from '../nearest-word.ts';
import { openSecrets, openSettings } from '../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import { printFindings, sendFindings } from '../print-findings.ts';
import { filesSource } from './files-source.ts';
import { lookText, type OpenedServing, openServing } from './open-serving.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';
import { watchSchemas } from './watch-schemas.ts';

export type ChosenSource =
  | { ok: true; source: ServingSource; serverParams: Readonly<Record<string, string>> }
  | { ok: false; result: CommandResult };

/**
 * What a command is to serve: files and folders, groups that are named, or the default group.
 *
 * @param options.withOthers - Whether a URL may ask for the other groups where none is named.
 */
export async function chooseSource(
  { group: named = [], lock, isolation }: Pick<ServingFlags, 'group' | 'lock' | 'isolation'>,
  paths: readonly string[],
  { withOthers = false }: { withOthers?: boolean } = {},
): Promise<ChosenSource> {
  if (paths.length > 0 && named.length > 0) {
    return { ok: false, result: misused('Name either files or a group.', 'Leave out the paths, or --group.') };
  }
  if (paths.length > 0)
    return { ok: true, source: filesSource(paths, { lock, isolation }), serverParams: openSecrets() };
  const opened = openSettings();
  if (!opened.ok) return opened;
  const { settings } = opened;
  const serverParams = openSecrets(settings);
  const { groupsSource } = await import('./groups-source.ts');
  const groups = groupsSource(settings, { named, withOthers, lock, isolation });
  if (!groups.ok) return { ok: false, result: failedOver(groups.findings) };
  return { ok: true, source: groups.source, serverParams };
}

export type StartedServing =
  | {
      ok: true;
      serving: OpenedServing;
      options: ServerOptions;
      /** Logs requests that were refused, where they are logged. */
      onRefusal: ServerLog['onRefusal'];
      /** Loads schemas anew from now on when they change. Not before the server runs: clients wait for it. Returns what ends that. */
      watch: () => Promise<() => Promise<void>>;
    }
  | { ok: false; result: CommandResult };

/** Opens what is to be served, says what is wrong with it, and makes the options that servers of all transports take. */
export async function startServing(
  { source, serverParams }: Extract<ChosenSource, { ok: true }>,
  flags: ServingFlags,
): Promise<StartedServing> {
  const select = {
    ...(flags.namespace && { namespaces: flags.namespace }),
    ...(flags.tag && { tags: flags.tag }),
  };
  const serving = await openServing(source, { serverParams, shape: (offer) => selectCatalog(offer, select) });
  const { findings, refused, offer } = serving;
  const problems = findings.filter(isProblem);
  const refuse = (result: CommandResult): StartedServing => {
    printFindings(problems);
    return { ok: false, result };
  };
  const { tools, prompts } = offer.current;
  const isEmpty = tools.count === 0 && prompts.all.length === 0;
  if (refused.length > 0 || (isEmpty && findings.some(({ severity }) => severity === 'error'))) {
    return refuse(failedOver(refused.length > 0 ? refused : findings));
  }
  if (isEmpty) {
    const isPart = flags.namespace !== undefined || flags.tag !== undefined;
    const error = isPart ? 'No tool is of that namespace and tag.' : `${source.subject} has no tools.`;
    return refuse(misused(error, isPart ? 'Leave them out.' : 'Activate one: schemakit add <tool>'));
  }
  const checked = await checkToolFlags(flags, tools);
  if (!checked.ok) return refuse(checked.result);
  const log = openServerLog(flags.logLevel);
  sendFindings(log.findings);
  printFindings(problems);
  const options = servingOptions(flags, { source, select: checked.select, log });
  const watch = async () => {
    if (!flags.watch) return async () => {};
    const { state, reload, remember } = serving;
    const onReload = (found: readonly Finding[]) => sayReload(found, log);
    const look = () => lookText(source.look());
    return watchSchemas({
      places: () => source.places,
      look,
      state,
      remember,
      reload,
      onReload,
      complain: log.complain,
    });
  };
  return { ok: true, serving, options, onRefusal: log.onRefusal, watch };
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
    ...(onCall && { onCall }),
    onError: (error) => log.complain(error.message.split('\n', 1)[0] ?? ''),
  };
}

function sayReload(findings: readonly Finding[], log: ServerLog): void {
  log.findings(findings.filter(isProblem));
  const isWhole = findings.every(({ severity }) => severity !== 'error');
  log.say(isWhole ? 'Schemas loaded anew.' : 'Schemas loaded anew; what is broken stays as it was.');
}

/** Tools that took another name than their own would be looked for in vain, and calls without their secrets fail. */
const others = new Set(['REF005', 'SECRET_MISSING']);

/** Whether the user of a server has to know of a finding. Other warnings are for authors of schemas. */
function isProblem({ severity, code }: Finding): boolean {
  return severity === 'error' || others.has(code);
}

type Checked = { ok: true; select?: NonNullable<ServerOptions['select']> } | { ok: false; result: CommandResult };

/** Checks flags that name tools: those to be pinned, and those of whose answers a part is wanted. */
async function checkToolFlags(
  { pin, discovery, select = [] }: Pick<ServingFlags, 'pin' | 'discovery' | 'select'>,
  tools: { readonly list: readonly { name: string }[] },
): Promise<Checked> {
  // Thousands of names are not read for nothing.
  if (pin === undefined && select.length === 0) return { ok: true };
  const known = new Set(tools.list.map(({ name }) => name));
  if (pin !== undefined && discovery !== 'search') {
    return refused('--pin belongs to --discovery search: without it, all tools are listed.', 'Add --discovery search.');
  }
  const unknownPin = pin?.find((name) => !known.has(name));
  if (unknownPin !== undefined) return unknownTool('--pin', unknownPin, known);
  const entries = select.map((text) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)] as const);
  for (const [index, [name, expression]] of entries.entries()) {
    if (!select[index]?.includes('=')) {
      return refused(`--select ${select[index]} names no expression.`, 'Write: --select <tool>=<JMESPath expression>');
    }
    if (!known.has(name)) return unknownTool('--select', name, known);
    const { checkSelect } = await import('@schemakit/core');
    const [problem] = await checkSelect(expression);
    if (problem) return refused(`--select ${name}: ${problem.message}`, problem.hint ?? 'Write a JMESPath expression.');
  }
  return { ok: true, ...(entries.length > 0 && { select: Object.fromEntries(entries) }) };
}

function unknownTool(flag: string, name: string, known: ReadonlySet<string>): Checked {
  const meant = nearestWord(name, known);
  const [example] = known;
  const fix = meant === undefined ? `Names are such as ${example}.` : `Did you mean ${meant}?`;
  return refused(`${flag}: there is no tool ${name}.`, fix);
}

function refused(error: string, fix: string): Checked {
  return { ok: false, result: misused(error, fix) };
}
