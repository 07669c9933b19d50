import { styleText } from 'node:util';
import type { Command, CommandContext, RouteMap } from '@stricli/core';
import { terminalWidth, textColumns, wrapText } from './text-table.ts';

type Route = Command<CommandContext> | RouteMap<CommandContext>;

type Positional = { brief: string; placeholder?: string; optional?: boolean };

/** What help reads of the parameters of a command. */
interface Parameters {
  flags?: Readonly<Record<string, Flag>>;
  positional?:
    | { kind: 'array'; parameter: Positional; minimum?: number }
    | { kind: 'tuple'; parameters: readonly Positional[] };
}

interface Flag {
  kind: string;
  brief: string;
  placeholder?: string;
  values?: readonly string[];
  default?: unknown;
  variadic?: boolean | string;
  optional?: boolean;
}

/** A help page is no wider than this: longer lines are hard to read. */
const widest = 100;

/** The groups of commands, in the order of a user's life with them. Names that do not exist are left out. */
const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['demo', 'init', 'status', 'doctor', 'mode', 'completion'],
  'Use tools': ['search', 'describe', 'call', 'add', 'remove', 'list', 'group'],
  'Write schemas': ['new', 'validate', 'test', 'migrate'],
  'Bring in schemas': ['import', 'import-registry', 'update', 'source', 'schemas', 'trust'],
  Serve: ['run', 'serve', 'install', 'export', 'agent'],
  'Check servers': ['inspect', 'lookup'],
};

/** Flags by what they are about. Others come first. */
const flagGroups: Readonly<Record<string, readonly string[]>> = {
  'Choose tools': ['selectOperations', 'group', 'namespace', 'tag', 'pin', 'discovery', 'route', 'lock'],
  Requests: ['timeout', 'concurrency', 'rate', 'cache', 'refresh', 'isolation'],
  Results: ['select', 'selectArgument', 'structured', 'maxAnswer', 'apps', 'output', 'verbose'],
  'Who may connect': [
    'host',
    'port',
    'token',
    'open',
    'tlsCert',
    'tlsKey',
    'allowedHost',
    'allowedOrigin',
    'confirmWrites',
  ],
  OAuth: ['oauthIssuer', 'oauthResource', 'oauthScope'],
  Payments: ['price', 'payTo', 'network', 'facilitator'],
  Tasks: ['tasks', 'work', 'maxWaiting', 'priority', 'rateLimit', 'grace', 'metricsPort', 'metricsHost'],
  'Limits and logs': ['maxBody', 'sessions', 'maxSessions', 'sessionIdle', 'watch', 'logLevel'],
};

/** Commands with fewer flags show them in one group. */
const groupedFrom = 8;

const globalFlags = [
  ['--cwd <dir>', 'Folder of the project'],
  ['--allow-library <name>', 'Allow handlers an installed library'],
  ['--json', 'Print JSON at a terminal, too'],
  ['--help, -h', 'Show help'],
] as const;

export const tagline = 'Describe a REST API once; get validated MCP tools.';

/** Replaces the help pages of the parser in a command, and in its subcommands. */
export function withHelp<Target extends Route>(route: Target): Target {
  if ('getAllEntries' in route) {
    const map: RouteMap<CommandContext> = route;
    return {
      ...route,
      brief: route.brief,
      getRoutingTargetForInput: (input: string) => {
        const target = map.getRoutingTargetForInput(input);
        return target && withHelp(target);
      },
      formatHelp: ({ prefix }: { prefix: readonly string[] }) => groupHelp(map, prefix.join(' ')),
    };
  }
  return {
    ...route,
    brief: route.brief,
    formatHelp: ({ prefix }: { prefix: readonly string[] }) => commandHelp(route, prefix.join(' ')),
  };
}

/** The page of `schemakit --help`. */
function topHelp(commands: RouteMap<CommandContext>): string {
  const briefs = new Map(visible(commands).map(({ name, target }) => [name.original, target.brief]));
  const grouped = new Set(Object.values(commandGroups).flat());
  const others = [...briefs.keys()].filter((name) => !grouped.has(name));
  const groups = Object.entries({ ...commandGroups, Others: others }).flatMap(([title, names]) => {
    const rows = names.flatMap((name) => (briefs.has(name) ? [[name.padEnd(15), briefs.get(name) ?? '']] : []));
    return rows.length === 0 ? [] : [heading(title), ...columns(rows)];
  });
  return page([
    [tagline],
    [heading('Usage'), '  schemakit <command> [flags]'],
    groups,
    [heading('Flags of every command'), ...columns([...globalFlags, ['--version, -v', 'Print the version']])],
    [heading('Examples'), '  schemakit search exchange rates', '  schemakit call frankfurter_getRates quotes=USD,GBP'],
    ['`schemakit help <command>` shows a command; the guide is in the folder docs.'],
  ]);
}

function groupHelp(map: RouteMap<CommandContext>, prefix: string): string {
  if (!prefix.includes(' ')) return topHelp(map);
  const rows = visible(map).map(({ name, target }) => [name.original, target.brief]);
  return page([
    [`${map.brief}.`],
    [heading('Usage'), `  ${prefix} <command> [flags]`],
    [heading('Commands'), ...columns(rows)],
    [`\`${prefix.replace(/^schemakit/, 'schemakit help')} <command>\` shows one of them.`],
  ]);
}

function commandHelp({ brief, fullDescription, parameters }: Command<CommandContext>, prefix: string): string {
  const { flags = {}, positional } = parameters as Parameters;
  const names =
    positional === undefined ? [] : positional.kind === 'array' ? [positional.parameter] : positional.parameters;
  const words = positional?.kind === 'array' ? arrayUsage(positional) : names.map(usageWord).join(' ');
  const required = Object.entries(flags).flatMap(([name, flag]) =>
    flag.optional || flag.default !== undefined ? [] : `${flagName(name, flag)}${valueText(flag)}`,
  );
  const hasMore = required.length < Object.keys(flags).length;
  const usage = [prefix, words, ...required, hasMore ? '[flags]' : ''].filter((word) => word !== '').join(' ');
  const examples = fullDescription?.split('\n').filter((line) => line.startsWith('  ')) ?? [];
  return page([
    wrapText(`${brief}.`, terminalWidth(widest)),
    [heading('Usage'), `  ${usage}`],
    names.length === 0
      ? []
      : [heading('Arguments'), ...columns(names.map(({ placeholder = '', brief: about }) => [placeholder, about]))],
    ...flagPages(flags),
    [heading('Flags of every command'), ...columns(globalFlags)],
    examples.length === 0 ? [] : [heading(examples.length === 1 ? 'Example' : 'Examples'), ...examples],
  ]);
}

function flagPages(flags: Readonly<Record<string, Flag>>): string[][] {
  const names = Object.keys(flags);
  const groups = names.length < groupedFrom ? {} : flagGroups;
  const grouped = new Set(Object.values(groups).flat());
  // `--select` of `new` chooses operations; elsewhere it chooses parts of results.
  const topic = (name: string) =>
    name === 'select' && flags[name]?.placeholder === 'pattern' ? 'selectOperations' : name;
  const pages = { Flags: names.map(topic).filter((name) => !grouped.has(name)), ...groups };
  return Object.entries(pages).flatMap(([title, wanted]) => {
    const rows = wanted.flatMap((word) => {
      const name = names.find((own) => topic(own) === word) ?? '';
      const flag = flags[name];
      return flag === undefined ? [] : [[`${flagName(name, flag)}${valueText(flag)}`, aboutFlag(flag)]];
    });
    return rows.length === 0 ? [] : [[heading(title), ...columns(rows)]];
  });
}

export type ShownFlag = { kind: string; default?: unknown };

/** A flag that is on by default is offered as the one that turns it off. */
export function flagName(name: string, { kind, default: value }: ShownFlag): string {
  const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return kind === 'boolean' && value === true ? `--no-${kebab}` : `--${kebab}`;
}

function valueText({ kind, placeholder, values = [], variadic }: Flag): string {
  if (kind === 'boolean') return '';
  return ` <${kind === 'enum' ? values.join('|') : placeholder}>${variadic === undefined ? '' : '...'}`;
}

function aboutFlag({ kind, brief, default: value }: Flag): string {
  const isShown = kind !== 'boolean' && value !== undefined && value !== '';
  return isShown ? `${brief} (default: ${String(value)})` : brief;
}

function usageWord({ placeholder = '', optional }: Positional): string {
  return optional ? `[<${placeholder}>]` : `<${placeholder}>`;
}

/** A placeholder with brackets is a whole usage. */
function arrayUsage({
  parameter: { placeholder = '' },
  minimum = 0,
}: {
  parameter: Positional;
  minimum?: number;
}): string {
  if (placeholder.includes('<')) return placeholder;
  return minimum > 0 ? `<${placeholder}>...` : `[<${placeholder}>...]`;
}

function visible(map: RouteMap<CommandContext>) {
  return map.getAllEntries().filter(({ hidden }) => !hidden);
}

function heading(title: string): string {
  return styleText('bold', title.toUpperCase(), { stream: process.stdout });
}

function columns(rows: readonly (readonly string[])[]): string[] {
  return textColumns(rows, { indent: 2, width: terminalWidth(widest) });
}

function page(parts: readonly (readonly string[])[]): string {
  return `${parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
