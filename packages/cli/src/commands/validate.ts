import { defineCommand, type MakeCommand } from '../run-command.ts';
import { described, groupFlag, lockFlag, paths, yesNo } from './parameters.ts';

export const validateCommand: MakeCommand = defineCommand(
  'validate',
  async () => (await import('../testing/validate-files.ts')).validate,
  {
    parameters: {
      positional: paths,
      flags: {
        strict: yesNo('Treat warnings as errors'),
        format: {
          kind: 'enum',
          values: ['text', 'json', 'sarif'],
          optional: true,
          brief: 'Output format (default: text at a terminal, JSON otherwise)',
        },
        watch: yesNo('Validate again when files change, until Ctrl-C'),
        group: groupFlag,
        lock: lockFlag,
      },
    },
    docs: described(
      'Validate schemas, agents, lists, prompts and skills, or the schemas of a group',
      'schemakit validate ./schemas --strict',
    ),
  },
);
