import type { Finding } from '@schemakit/core';
import { buildCommand } from '@stricli/core';
import { openSettings } from '../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import { described, optionalPositional } from '../parameters.ts';
import { command, type MakeCommand } from '../run-command.ts';
import { settingsPaths } from '../settings/settings-paths.ts';
import { writeConfig } from '../settings/write-settings.ts';

const meanings = {
  agent: 'Commands that find, activate, call and serve tools. The others need the mode dev.',
  dev: 'Every command.',
  none: 'This folder has no settings, so every command works. schemakit init makes it a project.',
} as const;

/** `schemakit mode [agent|dev]`: shows the mode of the project, or sets it (specification 3). */
async function mode(_flags: Record<never, never>, wanted?: string): Promise<CommandResult> {
  const next = wanted === 'development' ? 'dev' : wanted;
  if (next !== undefined && next !== 'agent' && next !== 'dev') {
    return misused(`Invalid mode "${next}".`, 'Modes are agent and dev.');
  }
  const isReplaced = ({ file, path }: Finding) => path === 'mode' && file === settingsPaths().project.config;
  const opened = openSettings(next === undefined ? {} : { mends: isReplaced });
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  if (next === undefined) return shown(settings.mode);
  const written = await writeConfig(settings.paths.project, (fields) => ({ ...fields, mode: next }));
  return written.ok ? shown(next) : failedOver([written.finding]);
}

function shown(mode: 'agent' | 'dev' | null): CommandResult {
  return { document: { status: true, mode }, text: () => `${mode ?? 'no mode'}: ${meanings[mode ?? 'none']}` };
}

export const modeCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('mode', mode, output),
    parameters: {
      positional: optionalPositional('agent or dev', 'mode', { proposeCompletions: () => ['agent', 'dev'] }),
    },
    docs: described('Show or set the mode of the project', 'schemakit mode', 'schemakit mode dev'),
  });
