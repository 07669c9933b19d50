import { buildCommand, buildRouteMap } from '@stricli/core';
import { command, type MakeCommand } from '../../../run-command.ts';
import { described, envFileFlag, notEmpty, numberFlag, onePositional, yesNo } from '../../parameters.ts';

/** What `--tasks` can be. */
export const tasksText = 'sqlite:<file>, redis://… or postgres://…; encrypted with TASKS_KEY';

const runsFlags = {
  tasks: {
    kind: 'parsed',
    parse: notEmpty,
    brief: `Where the server keeps its runs, as its --tasks says: ${tasksText}`,
    placeholder: 'url',
  },
  envFile: envFileFlag,
} as const;

const id = onePositional('Id of the run', 'id');

/** `schemakit agent runs`: the runs that a server keeps. */
export const runsCommands: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      list: buildCommand({
        loader: async () => command('agent runs list', (await import('./manage-runs.ts')).listRuns, output),
        parameters: {
          flags: {
            ...runsFlags,
            limit: numberFlag('The newest so many', 'number', { min: 1, max: 10_000, value: 100 }),
          },
        },
        docs: described('List runs and how they stand', 'schemakit agent runs list --tasks sqlite:runs.db'),
      }),
      show: buildCommand({
        loader: async () => command('agent runs show', (await import('./manage-runs.ts')).showRun, output),
        parameters: { positional: id, flags: { ...runsFlags, html: yesNo('Print a page with all texts') } },
        docs: described(
          'Show the steps of a run in time',
          'schemakit agent runs show 0f3c… --tasks sqlite:runs.db',
          'schemakit agent runs show 0f3c… --tasks sqlite:runs.db --html > run.html',
        ),
      }),
      cancel: buildCommand({
        loader: async () => command('agent runs cancel', (await import('./manage-runs.ts')).cancelRun, output),
        parameters: { positional: id, flags: runsFlags },
        docs: described('Cancel a run', 'schemakit agent runs cancel 0f3c… --tasks sqlite:runs.db'),
      }),
      retry: buildCommand({
        loader: async () => command('agent runs retry', (await import('./manage-runs.ts')).retryRun, output),
        parameters: { positional: id, flags: runsFlags },
        docs: described(
          'Let a run that has failed go on from where it stands',
          'schemakit agent runs retry 0f3c… --tasks sqlite:runs.db',
        ),
      }),
    },
    docs: { brief: 'List, show, cancel and retry the runs of a server' },
  });
