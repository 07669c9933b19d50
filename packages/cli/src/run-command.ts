import { readFileSync } from 'node:fs';
import {
  type BaseArgs,
  buildCommand,
  type Command,
  type CommandBuilderArguments,
  type CommandContext,
  type RouteMap,
} from '@stricli/core';
import { type CommandResult, failed, failWith } from './output/command-result.ts';
import { isForProgram, printResult } from './output/print-result.ts';
import { readSettings } from './settings/read-settings.ts';
import { endsCommands } from './settings/settings-codes.ts';

/** The version of this command. */
export function ownVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

export interface Output {
  isJson: boolean;
}

/** Builds a command, or a group of subcommands, with flags and help. */
export type MakeCommand = (output: Output) => Command<CommandContext> | RouteMap<CommandContext>;

type Run<Flags, Args extends BaseArgs> = (flags: Flags, ...args: Args) => Promise<CommandResult | undefined>;

/** A command with its flags and help. `load` imports what runs it: help and completion only need the flags. */
export function defineCommand<
  const Flags extends Readonly<Partial<Record<keyof Flags, unknown>>> = NonNullable<unknown>,
  const Args extends BaseArgs = [],
>(
  name: CommandName,
  load: () => Run<Flags, Args> | Promise<Run<Flags, Args>>,
  about: Pick<CommandBuilderArguments<Flags, Args, CommandContext>, 'parameters' | 'docs'>,
): (output: Output) => Command<CommandContext> {
  return (output) => buildCommand({ loader: async () => command(name, await load(), output), ...about });
}

/** Wraps the function of a command: checks the mode of the project first, and prints the result. A running server has no result. */
export function command<Flags, Args extends BaseArgs>(
  name: CommandName,
  run: Run<Flags, Args>,
  { isJson }: Output,
): (flags: Flags, ...args: Args) => Promise<void> {
  return async (flags, ...args) => {
    const result = refusedByMode(name) ?? (await run(withLock(name, flags), ...args));
    if (result !== undefined) printResult(result, { asJson: isForProgram(isJson), isJson });
  };
}

const commandsWithLock = /^(list|describe|call|run|serve|validate|test .*|trust|export .*)$/;

/** `SCHEMAKIT_LOCK` names the lock file where `--lock` does not, such as in CI. */
function withLock<Flags>(name: CommandName, flags: Flags): Flags {
  const { lock = process.env.SCHEMAKIT_LOCK }: { lock?: string } = Object(flags);
  return lock && commandsWithLock.test(name) ? { ...flags, lock } : flags;
}

/** The mode that each command needs (docs/command.md, "Modes"). An agent must not grant itself permissions with `trust`. */
export const commandModes = {
  init: 'any',
  status: 'any',
  doctor: 'any',
  mode: 'any',
  search: 'any',
  describe: 'any',
  add: 'any',
  remove: 'any',
  list: 'any',
  'group list': 'any',
  'group append': 'any',
  'group remove': 'any',
  'group set-default': 'any',
  'group delete': 'any',
  'group rename': 'any',
  'source list': 'any',
  'source remove': 'dev',
  install: 'any',
  call: 'any',
  run: 'any',
  serve: 'any',
  'export openapi': 'any',
  'export mcpb': 'any',
  'export server-json': 'any',
  inspect: 'any',
  lookup: 'any',
  'agent run': 'any',
  'agent serve': 'any',
  'agent worker': 'any',
  'agent runs list': 'any',
  'agent runs show': 'any',
  'agent runs cancel': 'any',
  'agent runs retry': 'any',
  'agent init': 'dev',
  'agent validate': 'dev',
  'agent test': 'dev',
  demo: 'any',
  completion: 'any',
  update: 'any',
  import: 'dev',
  'import-registry': 'dev',
  new: 'dev',
  schemas: 'dev',
  validate: 'dev',
  'test project': 'dev',
  'test user': 'dev',
  'test single': 'dev',
  migrate: 'dev',
  trust: 'dev',
} as const;

export type CommandName = keyof typeof commandModes;

/** The error of a command that the mode of the project does not allow. */
export function refusedByMode(command: CommandName): CommandResult | undefined {
  if (commandModes[command] === 'any') return undefined;
  const { mode, findings, paths } = readSettings();
  const errors = findings.filter((found) => endsCommands(found) && found.file?.startsWith(paths.project.folder));
  // Broken settings may be those that forbid the command.
  if (errors.length > 0) return failWith(errors);
  if (mode !== 'agent') return undefined;
  return failed('usage', {
    error: `\`schemakit ${command}\` is only available in dev mode; this project is in agent mode.`,
    fix: 'Run: schemakit mode dev',
  });
}
