import { nearestWord } from '@schemakit/core';

export type ReportKind = 'junit' | 'json' | 'html';

/** A report of a run, and the file that it goes to. */
export interface ReportTarget {
  kind: ReportKind;
  file: string;
}

const usualFiles: Readonly<Record<ReportKind, string>> = {
  junit: 'schemakit-test.xml',
  json: 'schemakit-test.json',
  html: 'schemakit-test.html',
};

export type ReadReportTarget = { ok: true; target: ReportTarget } | { ok: false; problem: string; fix: string };

/** Reads `--report <kind>` or `--report <kind>=<file>`. */
export function readReportTarget(text: string): ReadReportTarget {
  const at = text.indexOf('=');
  const kind = at === -1 ? text : text.slice(0, at);
  const file = at === -1 ? undefined : text.slice(at + 1);
  if (!isKind(kind)) {
    const kinds = Object.keys(usualFiles);
    const meant = nearestWord(kind, kinds);
    const fix = meant === undefined ? `Kinds are ${kinds.join(', ')}.` : `Did you mean ${meant}?`;
    return { ok: false, problem: `There is no report "${kind}".`, fix };
  }
  if (file === '')
    return { ok: false, problem: `--report ${text} names no file.`, fix: `Write --report ${kind}=<file>.` };
  return { ok: true, target: { kind, file: file ?? usualFiles[kind] } };
}

function isKind(text: string): text is ReportKind {
  return Object.hasOwn(usualFiles, text);
}
