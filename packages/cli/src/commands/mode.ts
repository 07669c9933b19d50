import type { Finding } from '@schemakit/core';
import { type CommandResult, failWith, usageError } from '../output/command-result.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { openSettings } from '../settings/open-settings.ts';
import { settingsPaths } from '../settings/settings-paths.ts';
import { writeConfig } from '../settings/write-settings.ts';
import { described, optionalPositional } from './parameters.ts';

const meanings = {
  agent: 'agent (commands to find, activate, call and serve tools; for the others: schemakit mode dev)',
  dev: 'dev (all commands enabled)',
  none: 'none (all commands enabled; to set one: schemakit init, or schemakit mode agent)',
} as const;

/** `schemakit mode [agent|dev]`: shows the mode of the project, or sets it (docs/command.md, "Modes"). */
async function mode(_flags: Record<never, never>, wanted?: string): Promise<CommandResult> {
  const next = wanted === 'development' ? 'dev' : wanted;
  if (next !== undefined && next !== 'agent' && next !== 'dev') {
    return usageError(`Invalid mode "${next}".`, 'Use agent or dev.');
  }
  const isReplaced = ({ file, path }: Finding) => path === 'mode' && file === settingsPaths().project.config;
  const opened = openSettings(next === undefined ? {} : { mends: isReplaced });
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  if (next === undefined) return shown(settings.mode);
  const written = await writeConfig(settings.paths.project, (fields) => ({ ...fields, mode: next }));
  return written.ok ? shown(next) : failWith([written.finding]);
}

function shown(mode: 'agent' | 'dev' | null): CommandResult {
  return { document: { status: true, mode }, text: () => `Mode: ${meanings[mode ?? 'none']}` };
}

export const modeCommand: MakeCommand = defineCommand('mode', () => mode, {
  parameters: {
    positional: optionalPositional('agent or dev', 'mode', { proposeCompletions: () => ['agent', 'dev'] }),
  },
  docs: described('Show or set the mode of the project', 'schemakit mode dev'),
});
