import { buildCommand, buildRouteMap, type CommandContext, type RouteMap } from '@stricli/core';
import { anyText, anyTexts, described, groupFlag, lockFlag, onePath, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

const flags = {
  route: anyText('Only this tool', 'name'),
  lock: lockFlag,
  concurrency: wholeNumber('Tests of one host at a time', { least: 1, most: 64, usual: 2 }),
  delay: wholeNumber('Milliseconds between two tests of one host', { least: 0, most: 600_000, usual: 0 }),
  retries: wholeNumber('How often a test is repeated that the network or the API failed', {
    least: 0,
    most: 10,
    usual: 0,
  }),
  strict: yesNo('Every test has to pass, not one of each schema'),
  report: anyTexts('A report: junit, json or html, or with a file junit=<file>', 'kind'),
  record: anyText('Record the answers', 'folder'),
  replay: anyText('Answer from what was recorded; nothing is sent', 'folder'),
  updateOutput: yesNo('Write output schemas into the files'),
  dryRun: yesNo('With --update-output: write nothing; show what would change'),
} as const;

/** `schemakit test`: calls tools with the arguments of their tests. */
export function testCommands(output: { isJson: boolean }): RouteMap<CommandContext> {
  const load = () => import('../testing/test-targets.ts');
  return buildRouteMap({
    routes: {
      project: buildCommand({
        loader: async () => command('test project', (await load()).testProject, output),
        parameters: { flags: { ...flags, group: groupFlag } },
        docs: described(
          'Test the tools of a group',
          'schemakit test project',
          'schemakit test project --group work --report junit=report.xml',
        ),
      }),
      user: buildCommand({
        loader: async () => command('test user', (await load()).testUser, output),
        parameters: { flags },
        docs: described(
          'Test all schemas of your own',
          'schemakit test user',
          'schemakit test user --replay recordings',
        ),
      }),
      single: buildCommand({
        loader: async () => command('test single', (await load()).testSingle, output),
        parameters: { positional: onePath('A schema file, or a folder'), flags },
        docs: described(
          'Test a file, or the files of a folder',
          'schemakit test single shop.mjs --route getThing',
          'schemakit test single shop.mjs --record recordings',
          'schemakit test single shop.mjs --update-output --dry-run',
        ),
      }),
    },
    docs: { brief: 'Call tools with the arguments of their tests' },
  });
}

function wholeNumber(brief: string, { least, most, usual }: { least: number; most: number; usual: number }) {
  const parse = (text: string) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new RangeError(`it is no whole number from ${least} to ${most}`);
    return value;
  };
  return { kind: 'parsed', parse, default: String(usual), brief, placeholder: 'number' } as const;
}
