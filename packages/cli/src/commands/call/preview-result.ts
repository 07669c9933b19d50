import type { CallPreview, PlannedRequest } from '@schemakit/core';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { printFindings } from '../../print-findings.ts';
import { printable } from '../../printable.ts';
import type { CallFlags } from './call-flags.ts';
import { callResult } from './call-result.ts';

/** What a call would send, for the user. What is not known of it goes to stderr as well. */
export function previewResult(toolName: string, preview: CallPreview, { curl }: CallFlags): CommandResult {
  const { status, findings, request } = preview;
  if (!status) return callResult(toolName, { status, data: null, findings });
  const warnings = findings.map(({ message }) => message);
  const noted = warnings.length > 0 ? { warnings } : {};
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

/** As HTTP has it: a line, headers, an empty line and the body. */
function requestText({ method, url, headers, body }: PlannedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const head = [`${method} ${url}`, ...lines].map((line) => printable(line)).join('\n');
  return body === undefined ? head : `${head}\n\n${printable(text, { keepLines: true })}`;
}
