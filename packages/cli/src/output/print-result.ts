import { styleText } from 'node:util';
import type { CommandResult } from './command-result.ts';
import { exitStatus } from './command-result.ts';
import { wasPrinted } from './print-findings.ts';
import { printable, withoutControls } from './terminal-text.ts';

/** Prints the result of a command: one JSON document on stdout, or text, with errors on stderr. Sets the exit status. */
export function printResult(
  result: CommandResult,
  { asJson, isJson = asJson }: { asJson: boolean; isJson?: boolean },
): void {
  const { document, failure = 'other', moreErrors = [], passes = document.status } = result;
  if (!passes) process.exitCode = exitStatus[failure];
  if (result.exported !== undefined && !isJson) {
    process.stdout.write(`${jsonText(result.exported, 2)}\n`);
    return;
  }
  if (asJson && result.isServer !== true) {
    process.stdout.write(`${jsonText(document, result.isOneLine ? undefined : 4)}\n`);
    return;
  }
  const text = withoutControls(result.text?.() ?? '');
  if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  if (!document.status && result.textHasError !== true) process.stderr.write(failureText(document, moreErrors));
}

/** At a terminal without characters that could take it over; JSON may have them escaped anywhere in a text. */
function jsonText(document: object, indent: number | undefined): string {
  const text = JSON.stringify(document, null, indent);
  if (process.stdout.isTTY !== true) return text;
  return text.replace(
    /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function isForProgram(isJson: boolean): boolean {
  return isJson || process.stdout.isTTY !== true;
}

/** Errors that were printed as findings are not repeated, nor is the hint that came with them. */
function failureText({ error, fix }: CommandResult['document'], moreErrors: readonly string[]): string {
  const errors = [...(error === undefined ? [] : [error]), ...moreErrors].filter((text) => !wasPrinted(text));
  const isKnown = error !== undefined && wasPrinted(error);
  const lines = [
    ...errors.map((text) => styleText('red', printable(text), { stream: process.stderr })),
    ...(fix === undefined || isKnown ? [] : [`    ${printable(fix)}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
