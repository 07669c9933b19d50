import { existsSync } from 'node:fs';
import { describeSources } from '../groups/describe-sources.ts';
import { countTools } from '../groups/list-group.ts';
import { withIndex } from '../index/open-index.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import type { CommandResult } from '../output/command-result.ts';
import { counted } from '../output/terminal-text.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { envFiles } from '../settings/read-secrets.ts';
import { readSettings, type Settings } from '../settings/read-settings.ts';
import { described } from './parameters.ts';

async function status(): Promise<CommandResult> {
  // Imports the library, which help and completion do not need.
  const { checkSettings, checksText } = await import('../settings/health-checks.ts');
  const settings = readSettings();
  const { mode, defaultGroup = null, hasHome, home } = settings;
  const checks = await checkSettings(settings);
  const healthy = checks.every(({ ok }) => ok !== false);
  const [envPath = settings.paths.home.env] = envFiles(settings);
  const { folder } = settings.paths.home;
  const config = hasHome
    ? { envPath, envExists: existsSync(envPath), initialized: home.initialized ?? null, folder }
    : null;
  const { sources, counts } = await withIndex(settings, async (index) => ({
    sources: await shownSources(settings, index),
    counts: countTools(settings, index),
  }));
  const groups = Object.fromEntries([...counts].map(([name, toolCount]) => [name, { toolCount }]));
  return {
    document: { status: true, healthy, mode, checks, config, sources, groups, defaultGroup },
    text: () =>
      [
        checksText(checks),
        '',
        `mode     ${mode ?? 'none (all commands enabled)'}`,
        `sources  ${summary(sources, ({ schemaCount, agentCount }) =>
          agentCount === undefined ? schemaCount : `${schemaCount}, ${counted(agentCount, 'agent')}`,
        )}`,
        `groups   ${summary(groups, ({ toolCount }) => toolCount)}`,
      ].join('\n'),
  };
}

/** The sources by name, without their schemas. */
async function shownSources(settings: Settings, index: ToolIndex) {
  const described = await describeSources(settings, index);
  return Object.fromEntries(
    described.map(({ name, schemas, folder: _, toolCount: __, ...source }) => [
      name,
      { schemaCount: schemas.length, ...source },
    ]),
  );
}

function summary<T>(entries: Readonly<Record<string, T>>, count: (entry: T) => number | string): string {
  const words = Object.entries(entries).map(([name, entry]) => `${name} (${count(entry)})`);
  return words.join(', ') || 'none';
}

export const statusCommand: MakeCommand = defineCommand('status', () => status, {
  parameters: {},
  docs: described('Show settings, sources and groups, and check them', 'schemakit status'),
});
