import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { described, groupFlag, isolationFlag, lockFlag, notEmpty, paths } from './parameters.ts';
import { command } from './run-command.ts';

/** `run` and `serve`, which offer tools over MCP. */
export function serveRoutes(output: { isJson: boolean }): Record<'run' | 'serve', () => Command<CommandContext>> {
  return {
    run: () =>
      buildCommand({
        loader: async () => command('run', (await import('./commands/run.ts')).run, output),
        parameters: { positional: paths, flags: servingFlags('silent') },
        docs: described(
          'Serve a group, or schemas, as an MCP server over stdio',
          'schemakit run',
          'schemakit run --group work',
          'schemakit run ./schemas --discovery search',
        ),
      }),
    serve: () =>
      buildCommand({
        loader: async () => command('serve', (await import('./commands/serve.ts')).serve, output),
        parameters: {
          positional: paths,
          flags: {
            ...servingFlags('info'),
            host: text('The address to listen on', 'address', '127.0.0.1'),
            port: {
              ...number('The port to listen on; 0 takes one that is free', 'port', { max: 65_535 }),
              default: '3000',
            },
            token: optional('Who calls must know this token; or set SCHEMAKIT_TOKEN', 'token'),
            open: flag('Let everyone call who reaches the address, under any host name', false),
            tlsCert: optional('The certificate, for https', 'file'),
            tlsKey: optional('The key of the certificate', 'file'),
            allowedHost: several('A host name that requests may be addressed to, without port', 'name'),
            allowedOrigin: several('A host name of pages whose scripts may ask, without scheme and port', 'name'),
            oauthIssuer: optional('The authorization server whose tokens let callers in', 'url'),
            oauthResource: optional('The public address of this server, for which tokens must be', 'url'),
            oauthScope: several('A scope that tokens must have', 'scope'),
            maxBody: count('How large a request may be, in bytes; by default 4 MiB', 'bytes', { min: 1024 }),
            maxSessions: count('How many sessions of older clients there may be; by default 1,000', 'count', {
              min: 1,
            }),
            sessionIdle: count('When an idle session ends, in milliseconds; by default 10 minutes', 'ms', {
              min: 1000,
              max: 2_147_483_647,
            }),
          },
        },
        docs: described(
          'Serve groups, or schemas, as an MCP server over HTTP',
          'schemakit serve ./schemas --port 3000',
          'schemakit serve --group work --token "$TOKEN" --host 0.0.0.0',
          'schemakit serve --discovery search',
        ),
      }),
  };
}

function servingFlags(logLevel: 'info' | 'silent') {
  return {
    group: { ...groupFlag, variadic: true, brief: 'A group to serve; by default the default group' },
    namespace: several('A namespace to serve', 'name'),
    tag: several('A tag of schemas to serve', 'tag'),
    lock: lockFlag,
    isolation: isolationFlag,
    discovery: choice('List all tools, or three with which a model searches them', ['all', 'search'], 'all'),
    pin: several('With --discovery search: a tool to list too', 'tool'),
    selectArgument: flag('Let callers ask for a part of an answer: one more argument, select', false),
    structured: choice('Answer structured data as text too, or only structured', ['both', 'only'], 'both'),
    select: several('The part of the answers of a tool that is wanted, in JMESPath', 'tool=expression'),
    maxAnswer: count('How long an answer may be, in characters', 'count', { min: 100 }),
    concurrency: {
      ...number('How many requests an API gets at a time', 'count', { min: 1, max: 1024 }),
      default: '16',
    },
    rate: {
      ...number('How many requests an API gets in a second; 0 for any number', 'count', { max: 10_000 }),
      default: '0',
    },
    timeout: count('How long a call may take, in milliseconds', 'ms', { min: 1, max: 3_600_000 }),
    cache: flag('Keep answers of tools with preload', true),
    watch: flag('Load schemas anew when their files change', true),
    logLevel: choice('Which calls to log on stderr', ['info', 'error', 'silent'], logLevel),
  } as const;
}

function flag(brief: string, value: boolean) {
  return { kind: 'boolean', brief, default: value } as const;
}

function text(brief: string, placeholder: string, value: string) {
  return { kind: 'parsed', parse: notEmpty, brief, placeholder, default: value } as const;
}

function optional(brief: string, placeholder: string) {
  return { kind: 'parsed', parse: notEmpty, optional: true, brief, placeholder } as const;
}

function several(brief: string, placeholder: string) {
  return { kind: 'parsed', parse: notEmpty, optional: true, variadic: true, brief, placeholder } as const;
}

function choice<const Values extends readonly string[]>(brief: string, values: Values, value: Values[number]) {
  return { kind: 'enum', values, brief, default: value } as const;
}

function count(brief: string, placeholder: string, range: { min: number; max?: number }) {
  return { ...number(brief, placeholder, range), optional: true } as const;
}

function number(brief: string, placeholder: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) {
  const parse = (given: string) => {
    const value = Number(given);
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new Error(`expected a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`);
  };
  return { kind: 'parsed', parse, brief, placeholder } as const;
}
