import { buildRouteMap } from '@stricli/core';
import { type DescribedSource, describeSources } from '../../groups/describe-sources.ts';
import { withIndex } from '../../index/open-index.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { textTable } from '../../output/text-table.ts';
import { defineCommand, type MakeCommand } from '../../run-command.ts';
import { openSettings } from '../../settings/open-settings.ts';
import { described, onePositional, yesNo } from '../parameters.ts';

async function list(): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const found = await withIndex(settings, (index) => describeSources(settings, index));
  const sources = found.map(({ schemas, url = null, revision = null, updatedAt = null, ...source }) => {
    const { name, type, folder, toolCount } = source;
    return { name, type, url, revision, schemaCount: schemas.length, toolCount, updatedAt, folder };
  });
  const rows = found.map((source) => [
    source.name,
    originOf(source),
    source.revision?.slice(0, 12) ?? '',
    String(source.schemas.length),
    String(source.toolCount),
    source.updatedAt?.slice(0, 10) ?? '',
  ]);
  return {
    document: { status: true, sources },
    text: () =>
      rows.length === 0
        ? 'No sources yet. Import one: schemakit import <url>'
        : textTable(['Source', 'From', 'Revision', 'Schemas', 'Tools', 'Updated'], rows),
  };
}

function originOf({ type, url, folder }: DescribedSource): string {
  if (type === 'builtin') return 'built-in catalog';
  if (url !== undefined) return url;
  return type === 'own' ? `${folder} (your own files)` : folder;
}

export const sourceCommand: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      list: defineCommand('source list', () => list, {
        parameters: {},
        docs: described('List sources of schemas and where they come from', 'schemakit source list'),
      })(output),
      remove: defineCommand('source remove', async () => (await import('./remove.ts')).remove, {
        parameters: {
          positional: onePositional('Name of the source', 'name', {
            proposeCompletions: async () => (await import('../completion/propose-names.ts')).proposeSources(),
          }),
          flags: { yes: yesNo('Do not ask for confirmation') },
        },
        docs: described('Remove an imported source with its files and pins', 'schemakit source remove tides'),
      })(output),
    },
    docs: { brief: 'List and remove sources of schemas' },
  });
