import { buildCommand, buildRouteMap, type CommandContext, type RouteMap } from '@stricli/core';
import { described, groupFlag, lockFlag, onePath } from './parameters.ts';
import { command } from './run-command.ts';

const flags = {
  route: { kind: 'parsed', parse: String, optional: true, brief: 'Only this tool', placeholder: 'name' },
  lock: lockFlag,
  concurrency: wholeNumber('Tests of one host at a time', { least: 1, most: 64, usual: 2 }),
  delay: wholeNumber('Milliseconds between two tests of one host', { least: 0, most: 600_000, usual: 0 }),
  retries: wholeNumber('How often a test is repeated that the network or the API failed', {
    least: 0,
    most: 10,
    usual: 0,
  }),
  strict: { kind: 'boolean', brief: 'Every test has to pass, not one of each schema', default: false },
  report: {
    kind: 'parsed',
    parse: String,
    variadic: true,
    optional: true,
    brief: 'A report: junit, json or html, or with a file junit=<file>',
    placeholder: 'kind',
  },
  record: { kind: 'parsed', parse: String, optional: true, brief: 'Record the answers', placeholder: 'folder' },
  replay: {
    kind: 'parsed',
    parse: String,
    optional: true,
    brief: 'Answer from what was recorded; nothing is sent',
    placeholder: 'folder',
  },
  updateOutput: { kind: 'boolean', brief: 'Write output schemas into the files', default: false },
  dryRun: { kind: 'boolean', brief: 'With --update-output: write nothing; show what would change', default: false },
} as const;

/** `schemakit test`: calls tools with the arguments of their tests. */
export function testRoutes(output: { isJson: boolean }): RouteMap<CommandContext> {
  return buildRouteMap({
    routes: {
      project: buildCommand({
        loader: async () => command('test project', (await import('./commands/test/project.ts')).testProject, output),
        parameters: { flags: { ...flags, group: groupFlag } },
        docs: described(
          'Test the tools of a group',
          'schemakit test project',
          'schemakit test project --group work --report junit=report.xml',
        ),
      }),
      user: buildCommand({
        loader: async () => command('test user', (await import('./commands/test/user.ts')).testUser, output),
        parameters: { flags },
        docs: described(
          'Test all schemas of your own',
          'schemakit test user',
          'schemakit test user --replay recordings',
        ),
      }),
      single: buildCommand({
        loader: async () => command('test single', (await import('./commands/test/single.ts')).testSingle, output),
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

interface NumberFlag {
  kind: 'parsed';
  parse: (text: string) => number;
  default: string;
  brief: string;
  placeholder: string;
}

/** A flag with a whole number between two others. */
function wholeNumber(
  brief: string,
  { least, most, usual }: { least: number; most: number; usual: number },
): NumberFlag {
  const parse = (text: string) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new RangeError(`it is no whole number from ${least} to ${most}`);
    return value;
  };
  return { kind: 'parsed', parse, default: String(usual), brief, placeholder: 'number' };
}
