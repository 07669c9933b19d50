import type { Finding } from '@schemakit/core';
import type { ServingOptions } from '@schemakit/server';
import { selectOffer } from '@schemakit/server/stdio';
import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import { printFindings, sendFindings } from '../print-findings.ts';
import { checkToolFlags } from './check-tool-flags.ts';
import type { ChosenSource } from './choose-source.ts';
import { isProblem } from './is-problem.ts';
import { type OpenedServing, openServing } from './open-serving.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';
import { watchSchemas } from './watch-schemas.ts';

export type StartedServing =
  | {
      ok: true;
      serving: OpenedServing;
      options: ServingOptions;
      /** Logs requests that were refused, where they are logged. */
      onRefusal: ServerLog['onRefusal'];
      /** Loads schemas anew from now on when they change. Not before the server runs: clients wait for it. Returns what ends that. */
      watch: () => Promise<() => Promise<void>>;
    }
  | { ok: false; result: CommandResult };

/** Opens what is to be served, says what is wrong with it, and makes the options that servers of all transports take. */
export async function startServing(
  { source, serverParams, folder }: Extract<ChosenSource, { ok: true }>,
  flags: ServingFlags,
): Promise<StartedServing> {
  const select = {
    ...(flags.namespace && { namespaces: flags.namespace }),
    ...(flags.tag && { tags: flags.tag }),
  };
  const serving = await openServing(source, { folder, serverParams, shape: (offer) => selectOffer(offer, select) });
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
  const options = servingOptions(flags, { source, serving, select: checked.select, log });
  const watch = async () => {
    if (!flags.watch) return async () => {};
    const { state, reload, remember } = serving;
    const onReload = (found: readonly Finding[]) => sayReload(found, log);
    return watchSchemas({ places: () => source.places, state, remember, reload, onReload, complain: log.complain });
  };
  return { ok: true, serving, options, onRefusal: log.onRefusal, watch };
}

function servingOptions(
  flags: ServingFlags,
  {
    source,
    serving,
    select,
    log,
  }: { source: ServingSource; serving: OpenedServing; select: ServingOptions['select'] | undefined; log: ServerLog },
): ServingOptions {
  const { onCall } = log;
  return {
    name: source.name,
    version: '0.1.0',
    offer: serving.offer,
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
