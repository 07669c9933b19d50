import { join, relative, resolve, sep } from 'node:path';
import type { Finding } from '@schemakit/core';
import { commandHint } from '../settings/command-hint.ts';
import { printable } from './terminal-text.ts';

let print: (findings: readonly Finding[]) => void = printOnce;

export function printFindings(findings: readonly Finding[]): void {
  print(findings.map((finding) => (finding.hint ? { ...finding, hint: commandHint(finding.hint) } : finding)));
}

/** Prints the errors among findings; warnings are for authors of schemas. */
export function printErrors(findings: readonly Finding[]): void {
  printFindings(findings.filter(({ severity }) => severity === 'error'));
}

/** Redirects findings, for example to the log of a server. */
export function sendFindings(to: (findings: readonly Finding[]) => void): void {
  print = to;
}

const printed = new Set<string>();
const printedMessages = new Set<string>();

/** Several steps of a command may report the same finding. */
function printOnce(findings: readonly Finding[]): void {
  const fresh = findings.filter((finding) => !printed.has(findingText(finding)));
  for (const finding of fresh) {
    printed.add(findingText(finding));
    printedMessages.add(finding.message);
  }
  writeFindings(fresh);
}

/** Writes findings with their location and hint. Duplicates are skipped. */
export function writeFindings(findings: readonly Finding[]): void {
  for (const text of new Set(findings.map(findingText))) process.stderr.write(printable(text, { keepLines: true }));
}

function findingText(finding: Finding): string {
  const { file, ...rest } = finding;
  const { code, severity, message, hint, line } = rest;
  // Some messages name the file themselves.
  if (file !== undefined && line === undefined && message.includes(file)) {
    return findingText({ ...rest, message: message.replaceAll(file, shownPath(file)) });
  }
  return `${placeText(finding)}${severity} ${code}: ${message}\n${hint === undefined ? '' : `    ${hint}\n`}`;
}

/** Where a finding is, before its text: `file:line:column: `. */
export function placeText({ file, line, column }: Finding): string {
  return file ? `${shownPath(file)}${line === undefined ? '' : `:${line}:${column ?? 1}`}: ` : '';
}

/** Whether an error is a finding that was printed, perhaps with its place before or after it. */
export function wasPrinted(error: string): boolean {
  return [...printedMessages].some((message) => error === message || error.endsWith(`: ${message}`));
}

/** A path as the user typed it, or relative to the working directory. */
export function shownPath(file: string): string {
  const typed = process.argv.slice(2).flatMap((word) => {
    const [path = ''] = word.split('::', 1);
    const root = resolve(path);
    if (path === '' || (file !== root && !file.startsWith(root + sep))) return [];
    return file === root ? path : join(path, relative(root, file));
  });
  return typed.at(-1) ?? (relative(process.cwd(), file) || file);
}
