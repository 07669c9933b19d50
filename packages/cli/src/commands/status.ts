import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildCommand } from '@stricli/core';
import { countTools } from '../groups/list-group.ts';
import { schemaRoots } from '../groups/schema-roots.ts';
import { withIndex } from '../index/open-index.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import type { CommandResult } from '../output/command-result.ts';
import { counted } from '../output/terminal-text.ts';
import { command, type MakeCommand } from '../run-command.ts';
import { envFiles } from '../settings/read-secrets.ts';
import { readSettings, type Settings } from '../settings/read-settings.ts';
import { listSources } from '../sources/source-state.ts';
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
    sources: await countSchemas(settings, index),
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

interface ShownSource {
  schemaCount: number;
  /** Of an imported source. */
  agentCount?: number;
  /** `own`, `builtin`, or what it was imported from: `git`, `registry`, `archive`, `folder`. */
  type: string;
  url?: string;
  revision?: string | null;
  updatedAt?: string;
}

/** An imported source says itself where it came from; what older programs wrote about others is in the settings. */
async function countSchemas(settings: Settings, index: ToolIndex): Promise<Record<string, ShownSource>> {
  const roots = schemaRoots(settings);
  const files = index.schemas();
  const { schemas } = settings.paths.home;
  const imported = new Map(
    (await listSources({ folder: schemas })).map((source) => [join(schemas, source.name), source]),
  );
  return Object.fromEntries(
    roots.map(({ source, folder, approved }) => {
      const schemaCount = files.filter((file) => file.source === source).length;
      const noted = imported.get(folder);
      if (noted?.status !== true) {
        const type = settings.home.sources.get(source)?.type ?? (approved ? 'own' : 'imported');
        return [source, { schemaCount, type }];
      }
      const { address, revision, updatedAt, agentCount } = noted;
      const agents = agentCount > 0 && { agentCount };
      return [source, { schemaCount, ...agents, type: address.type, url: address.url, revision, updatedAt }];
    }),
  );
}

function summary<T>(entries: Readonly<Record<string, T>>, count: (entry: T) => number | string): string {
  const words = Object.entries(entries).map(([name, entry]) => `${name} (${count(entry)})`);
  return words.join(', ') || 'none';
}

export const statusCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('status', status, output),
    parameters: {},
    docs: described('Show settings, sources and groups, and check them', 'schemakit status'),
  });
