import { createHash } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding, Severity } from '@schemakit/core';
import { ruleOf } from '@schemakit/core/internal';
import { type ArtifactLocation, type SarifLevel, type SarifLog, type SarifRule, sarifLog } from '@schemakit/validator';
import { settingsCodes } from '../../settings/settings-codes.ts';

const levels: Readonly<Record<Severity, SarifLevel>> = { error: 'error', warning: 'warning', info: 'note' };

/** Findings as a SARIF log. URIs are relative to the working directory, which readers use as the source root. */
export function findingsSarif(findings: readonly Finding[]): SarifLog {
  const byCode = Map.groupBy(findings, ({ code }) => code);
  const rules = new Map([...byCode].map(([code, [own]]) => [code, ruleIn(code, own)]));
  return sarifLog(
    findings.map((finding) => {
      const { code, severity, message, hint, file, path, line, column } = finding;
      const artifact = file === undefined || file === '' ? undefined : artifactOf(file);
      return {
        rule: rules.get(code) ?? ruleIn(code, finding),
        level: levels[severity],
        text: hint === undefined ? message : `${message}\n${hint}`,
        ...{ artifact, line, column, name: path },
        // Stable when lines above change.
        fingerprints: { 'schemakit/v1': fingerprint(code, artifact?.uri ?? '', path, message) },
      };
    }),
  );
}

function ruleIn(code: string, own: Finding | undefined): SarifRule {
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

function plain(text: string): string {
  return text.replaceAll('`', '');
}

function artifactOf(file: string): ArtifactLocation {
  const inside = relative(process.cwd(), file);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return { uri: pathToFileURL(file).href };
  return { uri: inside.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}

function fingerprint(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}
