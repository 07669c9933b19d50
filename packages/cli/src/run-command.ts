import type { Command, CommandContext, RouteMap } from '@stricli/core';
import { type CommandResult, failed, failedOver } from './output/command-result.ts';
import { isForProgram, printResult } from './output/print-result.ts';
import { readSettings } from './settings/read-settings.ts';

/** What all commands are told: whether `--json` was given. */
export interface Output {
  isJson: boolean;
}

/** Makes a command with its flags and help, or those that follow its word. */
export type MakeCommand = (output: Output) => Command<CommandContext> | RouteMap<CommandContext>;

/**
 * Makes a command out of a function that ends in a result: the mode of the project is looked at first, and the result is
 * printed at the end. A server that goes on running has no result.
 */
export function command<Flags, Args extends readonly unknown[]>(
  name: CommandName,
  run: (flags: Flags, ...args: Args) => Promise<CommandResult | undefined>,
  { isJson }: Output,
): (flags: Flags, ...args: Args) => Promise<void> {
  return async (flags, ...args) => {
    const result = refusedByMode(name) ?? (await run(flags, ...args));
    if (result !== undefined) printResult(result, { asJson: isForProgram(isJson) });
  };
}

/** The mode that each command needs (specification 4.5). `trust` gives rights, which an agent should not give itself. */
export const commandModes = {
  init: 'any',
  status: 'any',
  doctor: 'any',
  mode: 'any',
  search: 'any',
  add: 'any',
  remove: 'any',
  list: 'any',
  'group list': 'any',
  'group append': 'any',
  'group remove': 'any',
  'group set-default': 'any',
  call: 'any',
  run: 'any',
  serve: 'any',
  inspect: 'any',
  demo: 'any',
  completion: 'any',
  update: 'any',
  import: 'dev',
  'import-registry': 'dev',
  schemas: 'dev',
  validate: 'dev',
  'test project': 'dev',
  'test user': 'dev',
  'test single': 'dev',
  migrate: 'dev',
  trust: 'dev',
} as const;

export type CommandName = keyof typeof commandModes;

/** Why a command may not run in the mode of the project; undefined where it may. */
export function refusedByMode(command: CommandName): CommandResult | undefined {
  if (commandModes[command] === 'any') return undefined;
  const { mode, findings, paths } = readSettings();
  const errors = findings.filter(
    ({ severity, file }) => severity === 'error' && file?.startsWith(paths.project.folder),
  );
  // Settings that cannot be read may forbid it.
  if (errors.length > 0) return failedOver(errors);
  if (mode !== 'agent') return undefined;
  return failed('usage', {
    error: `schemakit ${command} needs the mode dev, and this project is in the mode agent.`,
    fix: 'Run: schemakit mode dev',
  });
}
