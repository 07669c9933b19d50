import type { CacheUse, CallPreview, FetchResult, Finding, PlannedRequest } from '@schemakit/core';
import { type CommandResult, failed, failureOf } from '../../output/command-result.ts';
import { printFindings, shownPath } from '../../output/print-findings.ts';
import { printable } from '../../output/terminal-text.ts';
import { rejectedHint, secretsHint } from '../../settings/command-hint.ts';
import type { CallFlags } from './call-flags.ts';

export interface CallEnd {
  status: boolean;
  data: unknown;
  findings: readonly Finding[];
  cache?: CacheUse;
  pages?: FetchResult['pages'];
}

/** The secrets of a tool, named when the API rejects them. */
interface Keys {
  keys?: readonly string[];
  envFile?: string | undefined;
}

/** Warnings go to stderr. */
export function callResult(
  toolName: string,
  { status, data, findings, cache, pages }: CallEnd,
  secrets: Keys = {},
): CommandResult {
  if (status) {
    printFindings(findings);
    const document = { status: true, toolName, content: data, cache, pages };
    return { document, text: () => `${shown(data)}${cache?.hit ? cacheNote(cache) : ''}` };
  }
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const messages = errors.map(({ message }) => message);
  const missing = missingInputs(errors);
  const error = missing?.error ?? (first && withPlace(first)) ?? 'The call failed.';
  const fix = missing?.fix ?? (first && fixOf(first, secrets));
  const moreErrors = missing === undefined ? messages.slice(1) : [];
  return { ...failed(failureOf(errors), { toolName, error, messages, fix, ...placeOf(first) }), moreErrors };
}

/** Where the code of a handler failed. */
function placeOf({ file, line }: Partial<Finding> = {}): { file: string | undefined; line: number | undefined } {
  return { file: file && shownPath(file), line };
}

function withPlace(finding: Finding): string {
  const { file, line } = placeOf(finding);
  return file === undefined ? finding.message : `${finding.message} (${file}${line === undefined ? '' : `:${line}`})`;
}

/** One message for all missing inputs, if nothing else is wrong. */
function missingInputs(errors: readonly Finding[]): { error: string; fix: string } | undefined {
  if (errors.length === 0 || errors.some(({ code }) => code !== 'INP001')) return undefined;
  const expected = errors.map(({ path, message }) => {
    const [, what] = /expected (.*?)\.?$/s.exec(message) ?? [];
    return what === undefined ? path : `${path} (${what})`;
  });
  return {
    error: `Missing required parameter(s): ${errors.map(({ path }) => path).join(', ')}`,
    fix: `Provide: ${expected.join(', ')}`,
  };
}

/** Names the `.env` files, which the library does not know. */
function fixOf({ code, message, hint }: Finding, { keys = [], envFile }: Keys): string | undefined {
  const [, name] = (code === 'SECRET_MISSING' && /parameter (\S+) is not set/.exec(message)) || [];
  if (name !== undefined) return secretsHint([name]);
  if ((code !== 'HTTP_401' && code !== 'HTTP_403') || keys.length === 0) return hint;
  return [hint, rejectedHint(keys, envFile)].filter(Boolean).join(' ');
}

function cacheNote({ fetchedAt }: { fetchedAt: string }): string {
  // stdout is for the result alone.
  process.stderr.write(`Cached answer, fetched at ${fetchedAt}. Use --refresh for a new one.\n`);
  return '';
}

/** Prints console output of handlers on stderr: stdout is for the result. */
export function writeLog(level: string, text: string): void {
  process.stderr.write(`${level}: ${printable(text, { keepLines: true })}\n`);
}

function shown(data: unknown): string {
  return printable(typeof data === 'string' ? data : (JSON.stringify(data, null, 2) ?? ''), { keepLines: true });
}

/** The request of a dry run. Warnings about unknown parts go to stderr as well. */
export function previewResult(toolName: string, preview: CallPreview, { curl }: CallFlags): CommandResult {
  const { status, request } = preview;
  // The command is not shown, nor are the files that it would read.
  const findings = curl ? preview.findings : preview.findings.filter(({ code }) => code !== 'PREVIEW_FILE');
  if (!status) return callResult(toolName, { status, data: null, findings });
  const warnings = findings.map(({ message }) => message);
  const noted = { warnings: warnings.length > 0 ? warnings : undefined };
  if (curl && preview.curl === null) {
    const reason = findings.find(({ code }) => code === 'PREVIEW_UNKNOWN');
    const error = reason?.message ?? 'There is no request to show.';
    return failed('other', { toolName, error, messages: warnings, fix: 'Call it without --curl.' });
  }
  printFindings(findings);
  if (curl) {
    const command = preview.curl ?? '';
    return { document: { status, toolName, curl: command, ...noted }, text: () => command };
  }
  return {
    document: { status, toolName, dryRun: true, request, ...noted },
    text: () => (request === null ? '' : requestText(request)),
  };
}

function requestText({ method, url, headers, body }: PlannedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const head = [`${method} ${url}`, ...lines].map((line) => printable(line)).join('\n');
  return body === undefined ? head : `${head}\n\n${printable(text, { keepLines: true })}`;
}
