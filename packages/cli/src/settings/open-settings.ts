import type { Finding } from '@schemakit/core';
import { failWith, type Step } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { readSecrets, type SecretSources } from './read-secrets.ts';
import { readSettings, type Settings } from './read-settings.ts';
import { endsCommands } from './settings-codes.ts';

/** Reads the settings. Errors end the command, except those that it fixes itself (`mends`); warnings go to stderr. */
export function openSettings({ mends }: { mends?: (finding: Finding) => boolean } = {}): Step<{ settings: Settings }> {
  const settings = readSettings();
  const findings = settings.findings.filter((finding) => mends?.(finding) !== true);
  printFindings(findings);
  const broken = findings.filter(endsCommands);
  return broken.length > 0 ? { ok: false, result: failWith(broken) } : { ok: true, settings };
}

/** Reads the available secrets. Problems of their files go to stderr, and do not end the command. */
export function openSecrets(
  settings: Settings = readSettings(),
  { envFile }: Pick<SecretSources, 'envFile'> = {},
): Readonly<Record<string, string>> {
  const { values, findings } = readSecrets(settings, { envFile });
  printFindings(findings);
  return values;
}
