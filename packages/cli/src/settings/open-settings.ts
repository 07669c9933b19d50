import type { Finding } from '@schemakit/core';
import { type CommandResult, failedOver } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { readSecrets } from './read-secrets.ts';
import { readSettings, type Settings } from './read-settings.ts';

export type OpenedSettings = { ok: true; settings: Settings } | { ok: false; result: CommandResult };

/**
 * Reads the settings for a command. What is wrong with them ends it; warnings go to stderr.
 *
 * @param options.mends - Whether the command itself puts something right. Default: nothing.
 */
export function openSettings({ mends }: { mends?: (finding: Finding) => boolean } = {}): OpenedSettings {
  const settings = readSettings();
  const findings = settings.findings.filter((finding) => mends?.(finding) !== true);
  printFindings(findings);
  const isBroken = findings.some(({ severity }) => severity === 'error');
  return isBroken ? { ok: false, result: failedOver(findings) } : { ok: true, settings };
}

/** The server parameters that there are. What is wrong with their files goes to stderr, and ends nothing: others may do. */
export function openSecrets(settings: Settings = readSettings()): Readonly<Record<string, string>> {
  const { values, findings } = readSecrets(settings);
  printFindings(findings);
  return values;
}
