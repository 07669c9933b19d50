import {
  type ApplicationText,
  buildApplication,
  buildRouteMap,
  type CommandContext,
  ExitCode,
  type RouteMap,
  run as runApplication,
  text_en,
} from '@stricli/core';
import { endOnSignals, endWithoutReader } from './commands/end-on-signals.ts';
import type { GlobalFlags } from './commands/global-flags.ts';
import { failed, usageError } from './output/command-result.ts';
import { tagline, withHelp } from './output/help-text.ts';
import { isForProgram, printResult } from './output/print-result.ts';
import { reasonOf, shellWord } from './output/terminal-text.ts';
import { type MakeCommand, type Output, ownVersion } from './run-command.ts';

const secondWords: Readonly<Record<string, string>> = {
  agent: 'init, validate, run, test or serve',
  export: 'openapi, mcpb or server-json',
  group: 'list, append, remove, set-default, delete or rename',
  source: 'list or remove',
  test: 'project, user or single',
};

/** Maximum edit distance of suggestions; missing letters count least. */
const distanceOptions = { threshold: 3, weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 0 } };

export async function runCommandLine(words: readonly string[], flags: GlobalFlags): Promise<void> {
  endOnSignals();
  endWithoutReader();
  // stdout of a server carries the protocol.
  const print = (result: ReturnType<typeof usageError>) =>
    printResult(
      { ...result, isServer: (flags.ok ? flags.args : words)[0] === 'run' },
      { asJson: isForProgram(flags.json) },
    );
  if (!flags.ok) return print(usageError(flags.error, flags.fix));
  if (flags.allow.length > 0) {
    const { allowLibraries } = await import('./settings/allowed-libraries.ts');
    const refusal = await allowLibraries(flags.allow);
    if (refusal !== undefined) return print(refusal);
  }
  const args = askedForHelp(flags.args);
  const [first = ''] = args;
  const seconds = secondWords[first];
  if (seconds !== undefined && args.length === 1) {
    return print(
      usageError(`\`schemakit ${first}\` needs a subcommand: ${seconds}.`, `Run: schemakit ${first} --help`),
    );
  }
  const tool = first === 'call' ? helpedTool(args) : undefined;
  if (tool !== undefined && (await printToolHelp(tool))) return;
  const { exitCode, complaint } = await runCommands(args, { isJson: flags.json });
  const lines = complaint.trim().split('\n');
  if (exitCode === ExitCode.UnknownCommand)
    return print(
      usageError(lines[0] ?? '', lines[1] ?? `Run: schemakit ${seconds === undefined ? '' : `${first} `}--help`),
    );
  const command = args.slice(0, seconds === undefined ? 1 : 2).join(' ');
  if (exitCode === ExitCode.InvalidArgument) {
    const help = command.startsWith('-') ? 'Run: schemakit --help' : `Run: schemakit ${command} --help`;
    const fix = misplacedFix(command, args, lines) ?? help;
    return print(failed('usage', { error: lines.join(' '), messages: lines, fix }));
  }
  if (complaint !== '') print(failed('other', { error: complaint.trim() }));
}

/** The fix for inputs that are written as flags, and for tools that are written as words. */
function misplacedFix(command: string, args: readonly string[], lines: readonly string[]): string | undefined {
  const complaint = lines.join(' ');
  if (/^group (append|remove)$/.test(command) && args.includes('--tools') && complaint.startsWith('Too many')) {
    return '--tools takes one text with commas: --tools "<tool>,<tool>"';
  }
  if (command === 'new' && args.includes('curl')) return 'Put the curl command in quotes: schemakit new "curl …"';
  if (command === 'agent test' && complaint.startsWith('Too many')) return 'Test one agent at a time.';
  const [, flag, name = ''] = /^No flag registered for (--([\w.-]+))$/.exec(complaint) ?? [];
  if (command !== 'call' || flag === undefined) return undefined;
  const next = args[args.indexOf(flag) + 1];
  const value = next === undefined || next.startsWith('-') ? '<value>' : next;
  return `An input of the tool is written without --: ${shellWord(`${name}=${value}`)}`;
}

function askedForHelp(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  return first === 'help' ? [...rest.filter((word) => word !== '--help'), '--help'] : args;
}

/** The tool of `call <tool> --help`. */
function helpedTool(args: readonly string[]): string | undefined {
  const end = args.indexOf('--');
  const words = args.slice(1, end === -1 ? undefined : end);
  const [tool = ''] = words.filter((word) => !word.startsWith('-'));
  return words.some((word) => word === '--help' || word === '-h') && !['', 'list-tools'].includes(tool)
    ? tool
    : undefined;
}

/** Shows the parameters of a tool as the help of its call. False if there is no such tool. */
async function printToolHelp(tool: string): Promise<boolean> {
  const { describe } = await import('./commands/describe/describe-name.ts');
  const { document, text } = await describe({}, tool);
  if (document.status) process.stdout.write(`${text?.() ?? ''}\n\nFlags of call: schemakit help call\n`);
  return document.status;
}

/** Runs a command. `complaint` is the message of the parser, or of an unexpected error. */
async function runCommands(
  args: readonly string[],
  output: { isJson: boolean },
): Promise<{ exitCode: number; complaint: string }> {
  const application = buildApplication(await routes(output, args[0]), {
    name: 'schemakit',
    versionInfo: { getCurrentVersion: async () => ownVersion() },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true, distanceOptions },
    localization: { text: texts },
    documentation: { onlyRequiredInUsageLine: true },
  });
  const complaints: string[] = [];
  const stderr = { write: (text: string) => complaints.push(text) };
  const context: CommandContext & { process: { exitCode?: number | string | null } } = {
    process: { stdout: process.stdout, stderr },
  };
  await runApplication(application, args, context);
  return { exitCode: Number(context.process.exitCode ?? 0), complaint: complaints.join('') };
}

const texts: ApplicationText = {
  ...text_en,
  noCommandRegisteredForInput: ({ input, corrections }) => {
    const [meant] = corrections;
    return `Unknown command "${input}".${meant === undefined ? '' : `\nDid you mean ${meant.replaceAll('`', '')}?`}`;
  },
  exceptionWhileRunningCommand: (error) => reasonOf(error),
};

/** All commands, or only the one that `first` names. */
async function routes(output: Output, first = ''): Promise<RouteMap<CommandContext>> {
  const names = Object.hasOwn(commands, first) ? [first] : Object.keys(commands);
  const made = await Promise.all(names.map(async (name) => [name, (await commands[name]?.())?.(output)] as const));
  const map = buildRouteMap({
    routes: Object.fromEntries(made.flatMap(([name, route]) => (route === undefined ? [] : [[name, route]]))),
    docs: { brief: tagline, hideRoute: { __complete: true } },
  });
  return withHelp(map);
}

const commands: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  init: async () => (await import('./commands/init.ts')).initCommand,
  status: async () => (await import('./commands/status.ts')).statusCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  mode: async () => (await import('./commands/mode.ts')).modeCommand,
  add: async () => (await import('./commands/add.ts')).addCommand,
  remove: async () => (await import('./commands/remove.ts')).removeCommand,
  list: async () => (await import('./commands/list.ts')).listCommand,
  source: async () => (await import('./commands/source/source.ts')).sourceCommand,
  install: async () => (await import('./commands/install/install.ts')).installCommand,
  group: async () => (await import('./commands/group/group.ts')).groupCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  describe: async () => (await import('./commands/describe/describe.ts')).describeCommand,
  schemas: async () => (await import('./commands/schemas.ts')).schemasCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  __complete: async () => (await import('./commands/completion.ts')).completeCommand(routes),
  import: async () => (await import('./commands/import.ts')).importCommand,
  'import-registry': async () => (await import('./commands/import.ts')).importRegistryCommand,
  new: async () => (await import('./commands/new/new.ts')).newCommand,
  update: async () => (await import('./commands/update/update.ts')).updateCommand,
  call: async () => (await import('./commands/call/call.ts')).callCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  inspect: async () => (await import('./commands/inspect.ts')).inspectCommand,
  export: async () => (await import('./commands/export/export.ts')).exportCommands,
  lookup: async () => (await import('./commands/lookup.ts')).lookupCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  test: async () => (await import('./commands/test.ts')).testCommands,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  trust: async () => (await import('./commands/trust.ts')).trustCommand,
  agent: async () => (await import('./commands/agent/agent.ts')).agentCommands,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
};
