import { createScrubber, scrubJson } from '@schemakit/http';
import { asMessage, type Finding, isClean } from './findings/finding.ts';
import { checkStart } from './input/check-start.ts';
import { inStep, type StartOptions, type StartSettings } from './input/start-options.ts';
import { entriesOf } from './snapshot/entries.ts';
import { type Categories, categoriesOf, type Entries } from './snapshot/snapshot.ts';
import { type Run, validateServer } from './validate-server.ts';

/** What `start` found out: plain JSON, to be kept and compared. */
export interface StartResult {
  /** No finding is an `ERROR`, and the handshake completed. */
  status: boolean;
  /** The findings as `CODE location: text`. */
  messages: string[];
  findings: Finding[];
  categories: Categories;
  entries: Entries;
}

/**
 * Finds out what an MCP server offers and whether its payment terms hold, within `timeout` milliseconds (default 10,000). Never throws: what is wrong with
 * the input or the server stands in `findings`, and what was found before a failure is kept. Tools are called for real, see `probe`; nothing is ever paid.
 */
export async function start(options: StartOptions): Promise<StartResult> {
  const { findings, settings } = checkStart(options);
  if (settings === undefined) return resultOf({ seen: {}, findings, isReachable: false });
  const run = await validateServer(settings);
  run.findings.unshift(...findings);
  const result = await inStep('classify', settings.onProgress, () => resultOf(run));
  return inStep('snapshot', settings.onProgress, () => withoutSecrets(asPlainJson(result), settings));
}

function resultOf({ seen, findings, isReachable }: Run): StartResult {
  const entries = entriesOf(seen);
  const supportsMcp = seen.session !== undefined;
  return {
    status: supportsMcp && isClean(findings),
    messages: findings.map(asMessage),
    findings,
    categories: categoriesOf(entries, { isReachable, supportsMcp }),
    entries,
  };
}

/** Servers may send numbers that JSON cannot keep, such as 1e400 and -0: a result must be the same after a way through a file. */
function asPlainJson(result: StartResult): StartResult {
  return JSON.parse(JSON.stringify(result)) as StartResult;
}

/** A server may repeat what it was sent; results go into reports that others read. */
function withoutSecrets(result: StartResult, { headers, stdio, endpoint }: StartSettings): StartResult {
  const secrets = [
    ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]),
    ...Object.values(stdio?.env ?? {}),
    ...(endpoint?.searchParams.values() ?? []),
  ];
  if (secrets.length === 0) return result;
  return scrubJson(result, createScrubber(secrets)) as unknown as StartResult;
}
