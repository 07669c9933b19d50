import { createHash } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Finding, ruleOf, type Severity } from '@schemakit/core';
import { settingsCodes } from '../settings/settings-codes.ts';

/** A log of SARIF 2.1.0, as code hosts and editors read it. */
export type SarifLog = Readonly<Record<string, unknown>>;

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** Findings as a SARIF log. Addresses are relative to the working folder, which a reader takes for the root of the source. */
export function sarifLog(findings: readonly Finding[]): SarifLog {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'schemakit', rules: codes.map((code) => ruleIn(code, findings)) } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  };
}

function ruleIn(code: string, findings: readonly Finding[]): Record<string, unknown> {
  const own = findings.find((finding) => finding.code === code);
  const [settingsSeverity, settingsText] = Object.entries(settingsCodes).find(([known]) => known === code)?.[1] ?? [];
  const rule = ruleOf(code);
  const text = rule?.text ?? settingsText ?? own?.message ?? code;
  const help = rule?.help ?? own?.hint ?? text;
  const severity = rule?.severity ?? settingsSeverity ?? own?.severity ?? 'warning';
  return {
    id: code,
    shortDescription: { text: plain(text) },
    help: { text: plain(help), markdown: help },
    defaultConfiguration: { level: levels[severity] },
  };
}

/** Without the marks of code that tables have. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function resultOf(finding: Finding, ruleIndex: number): Record<string, unknown> {
  const { code, severity, message, hint, file, path } = finding;
  const uri = file === undefined || file === '' ? undefined : sourceUri(file);
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: hint === undefined ? message : `${message}\n${hint}` },
    ...(uri !== undefined && { locations: [locationOf(finding, uri)] }),
    // The same finding after lines above it have changed.
    partialFingerprints: { 'schemakit/v1': fingerprint(code, uri ?? '', path, message) },
  };
}

function locationOf({ line, column, path }: Finding, uri: string): Record<string, unknown> {
  return {
    physicalLocation: {
      artifactLocation: uri.includes(':') ? { uri } : { uri, uriBaseId: '%SRCROOT%' },
      ...(line !== undefined && { region: { startLine: line, startColumn: column ?? 1 } }),
    },
    ...(path !== '' && { logicalLocations: [{ fullyQualifiedName: path }] }),
  };
}

/** A relative reference below the working folder; for what is not below it an absolute address. */
function sourceUri(file: string): string {
  const inside = relative(process.cwd(), file);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return pathToFileURL(file).href;
  return inside.split(sep).map(encodeURIComponent).join('/');
}

function fingerprint(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}
