import type { Finding } from '../format/finding.ts';
import type { FetchBroker, HookOutcome } from '../handlers/handler-call.ts';
import { type HookAllowance, type HookFunction, openAllowance, runHook } from '../handlers/run-hook.ts';
import type { CallableTool } from './callable-tool.ts';
import type { HookCallFacts } from './hooks.ts';
import { ignoredResult } from './ignored-result.ts';
import { allParameterValues, type InputValues } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';
import type { SecretWatch } from './secret-watch.ts';
import type { UpstreamUse } from './upstream-options.ts';

/** What came of a call. `data` is null unless it succeeded. */
export interface CallOutcome {
  status: boolean;
  findings: Finding[];
  data: unknown;
  /** Whether `data` is what a JSON text says, as no code in this process has touched it. */
  isParsed?: boolean;
  /** `data` as JSON text, where that was there already. */
  text?: string;
  /** Media type of the upstream's answer, where there was one and no handler changed it. */
  mimeType?: string;
  /** What it took, where that was more than one request at once. */
  upstream?: UpstreamUse;
}

/** A call, or the preview of one, while its hooks run. */
export interface RunningCall {
  callable: CallableTool;
  vault: SecretVault;
  secrets: SecretWatch;
  signal?: AbortSignal | undefined;
  onLog?: ((level: string, text: string) => void) | undefined;
  /** Takes a text on each step. */
  onProgress?: ((message: string) => void) | undefined;
  /** Makes the `fetch` of a hook. `onRefused` learns of requests that it may not make. */
  openBroker(onRefused: (finding: Finding) => void): FetchBroker;
  /** What the hooks have together; opened by the first of them. */
  allowance?: HookAllowance;
  /** What its hooks returned in vain. */
  warnings?: Finding[];
}

export type HookRun = { ok: true; result: HookOutcome } | { ok: false; outcome: CallOutcome };

/** Runs a hook of a call. What it throws, and what it did with secrets that it may not read, is a failed outcome. */
export async function tryHook(
  call: RunningCall,
  hook: HookFunction,
  name: string,
  context: Parameters<typeof runHook>[1],
): Promise<HookRun> {
  const { secrets, signal, onLog, onProgress } = call;
  onProgress?.(`Running the handler ${name}`);
  call.allowance ??= openAllowance();
  let refused: Finding | undefined;
  try {
    const broker = call.openBroker((finding) => {
      refused = finding;
    });
    const result = await runHook(hook, context, {
      fetch: secrets.guard(broker),
      signal,
      allowance: call.allowance,
      onSecret: secrets.note,
      ...(onLog && { onLog: (level, text) => onLog(level, call.vault.scrub(text)) }),
    });
    const misused = secrets.findings();
    const ignored = ignoredResult(name, result, call.callable.tool.name);
    if (ignored) call.warnings = [...(call.warnings ?? []), ignored];
    return misused.length > 0 ? { ok: false, outcome: failed(misused) } : { ok: true, result };
  } catch (error) {
    const misused = secrets.findings();
    return { ok: false, outcome: failed(misused.length > 0 ? misused : [hookFinding(call, name, error, refused)]) };
  }
}

function hookFinding({ callable }: RunningCall, name: string, error: unknown, refused: Finding | undefined): Finding {
  const { code = 'HANDLER_THREW', hint = refused?.hint, line } = Object(error) as Partial<Finding>;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code,
    severity: 'error',
    path: callable.tool.name,
    message: `${code === 'FACTORY_THREW' || code === 'FACTORY_INVALID' ? 'handlers' : name} error: ${message}`,
    ...(hint !== undefined && { hint }),
    ...(line !== undefined && { line }),
    ...(callable.file !== undefined && { file: callable.file }),
  };
}

/** What every hook is told. */
export function hookFacts({ callable, vault }: RunningCall, values: InputValues): HookCallFacts {
  const { tool } = callable;
  const serverParams = vault.visible;
  return { tool: tool.name, values, allParams: allParameterValues(tool, values, serverParams), serverParams };
}

/** The findings for a hook that said that it failed. */
export function handlerFindings(messages: readonly string[], { callable }: RunningCall): Finding[] {
  const texts = messages.length > 0 ? messages : ['the handler reported a failure without a message'];
  return texts.map((message) => ({ code: 'HANDLER_FAILED', severity: 'error', path: callable.tool.name, message }));
}

export function failed(findings: Finding[]): CallOutcome {
  return { status: false, findings, data: null };
}
