import { buildRouteMap } from '@stricli/core';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import {
  anyText,
  anyTexts,
  described,
  envFileFlag,
  environmentFlags,
  groupFlag,
  lockFlag,
  numberFlag,
  onePath,
  yesNo,
} from './parameters.ts';

const flags = {
  route: anyText('Test only this tool', 'name'),
  ...environmentFlags,
  envFile: envFileFlag,
  lock: lockFlag,
  concurrency: numberFlag('Maximum concurrent tests per host', 'number', { min: 1, max: 64, value: 2 }),
  delay: numberFlag('Pause between two tests of a host, in milliseconds', 'number', { max: 600_000, value: 0 }),
  retries: numberFlag('Retries of a test that failed because of the network or the API', 'number', {
    max: 10,
    value: 0,
  }),
  strict: yesNo('Also fail when an output differs from its schema'),
  quality: {
    kind: 'enum',
    values: ['library'],
    optional: true,
    brief: 'Tolerate failures: one tool of the API of each schema must return data',
    placeholder: 'library',
  },
  report: anyTexts('Write a report: junit, json or html; junit=<file> sets the file', 'kind'),
  record: anyText('Record responses in this folder', 'folder'),
  replay: anyText('Replay recorded responses; no requests are sent', 'folder'),
  updateOutput: yesNo('Write the inferred output schemas into the schema files'),
  dryRun: yesNo('With --update-output: show the changes without writing them'),
} as const;

const load = () => import('../testing/test-targets.ts');

export const testCommands: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      project: defineCommand('test project', async () => (await load()).testProject, {
        parameters: { flags: { ...flags, group: groupFlag } },
        docs: described('Test the tools of a group', 'schemakit test project --report junit=report.xml'),
      })(output),
      user: defineCommand('test user', async () => (await load()).testUser, {
        parameters: { flags },
        docs: described('Test all your own schemas', 'schemakit test user --replay recordings'),
      })(output),
      single: defineCommand('test single', async () => (await load()).testSingle, {
        parameters: { positional: onePath('Schema file or folder'), flags },
        docs: described(
          'Test a schema file, or all files in a folder',
          'schemakit test single shop.mjs --record recordings',
        ),
      })(output),
    },
    docs: { brief: 'Run the tests of schemas against their APIs' },
  });
