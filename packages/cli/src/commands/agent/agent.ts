import { buildCommand, buildRouteMap } from '@stricli/core';
import { command, type MakeCommand } from '../../run-command.ts';
import {
  anyText,
  anyTexts,
  described,
  envFileFlag,
  lockFlag,
  negatable,
  notEmpty,
  numberFlag,
  onePositional,
  optionalNumber,
  textFlag,
  textsFlag,
  yesNo,
} from '../parameters.ts';
import { listenFlags } from '../serve/listen-flags.ts';
import { runsCommands, tasksText } from './runs/runs.ts';

const agentFlags = {
  schema: textsFlag('Schema file or folder with the tools of the agent (default: your schemas and sources)', 'path'),
  lock: lockFlag,
  model: textFlag('Model in place of the one in the manifest', 'provider/model'),
  envFile: envFileFlag,
  allowDestructive: yesNo('Let the agent call tools that may destroy something'),
} as const;

const limitFlags = {
  maxCost: {
    ...textFlag('Limit of what a run may cost; needs --prices, except with OpenRouter', 'amount'),
    parse: amount,
  },
  prices: {
    ...textFlag('Prices of the model per million tokens: input, output and, optionally, cached input', '3,15'),
    parse: amounts,
  },
  timeout: optionalNumber('Time limit of a run, in milliseconds (default: 120,000)', 'ms', { min: 1 }),
} as const;

const workFlags = {
  concurrency: optionalNumber('Runs of --tasks that this process works on at once (default: 100)', 'count', { min: 1 }),
  rateLimit: optionalNumber(
    'Requests per minute to the model, of all processes with the same --tasks and key',
    'count',
    {
      min: 1,
    },
  ),
} as const;

const files = {
  kind: 'array',
  minimum: 1,
  parameter: { brief: 'Agent manifests', placeholder: 'file', parse: notEmpty },
} as const;

function amount(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value > 0) return value;
  throw new Error('expected a number above 0');
}

function amounts(text: string): number[] {
  const values = text.split(',').map(amount);
  if (values.length < 2 || values.length > 3) throw new Error('expected two or three numbers');
  return values;
}

const fileAndInput = {
  kind: 'tuple',
  parameters: [
    { brief: 'Agent manifest', placeholder: 'file', parse: notEmpty },
    {
      brief: 'What the agent is asked: text, or JSON for an agent with an input schema',
      placeholder: 'input',
      parse: notEmpty,
    },
  ],
} as const;

/** `schemakit agent`: agents as MCP tools (docs/agents.md). */
export const agentCommands: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      init: buildCommand({
        loader: async () => command('agent init', (await import('./init-agent.ts')).initAgent, output),
        parameters: { positional: onePositional('Name of the agent', 'name'), flags: {} },
        docs: described('Create an agent with tests that run offline', 'schemakit agent init gardener'),
      }),
      validate: buildCommand({
        loader: async () => command('agent validate', (await import('./validate-agents.ts')).validateAgents, output),
        parameters: { positional: files, flags: { strict: yesNo('Treat warnings as errors'), ...agentFlags } },
        docs: described(
          'Check agent manifests and the tools that they name',
          'schemakit agent validate agents/gardener/agent.mjs',
        ),
      }),
      run: buildCommand({
        loader: async () => command('agent run', (await import('./run-agent.ts')).runAgent, output),
        parameters: { positional: fileAndInput, flags: { ...agentFlags, ...limitFlags } },
        docs: described('Run an agent once', 'schemakit agent run agents/gardener/agent.mjs "What can I sow in May?"'),
      }),
      test: buildCommand({
        loader: async () => command('agent test', (await import('./test-agent.ts')).testAgent, output),
        parameters: {
          positional: onePositional('Agent manifest', 'file'),
          flags: {
            ...agentFlags,
            ...limitFlags,
            only: textFlag('Run only the tests whose description or question contains this text', 'text'),
            record: yesNo('Record the answers of the model and the APIs in recordings/ beside the agent'),
            replay: yesNo('Replay recorded answers: no keys, no network, no cost'),
            repeat: numberFlag('Runs of each test, to see how stable it is', 'number', { min: 1, max: 100, value: 1 }),
            review: anyText('Write a sheet for reviewing the answers: .md or .html', 'file'),
            report: anyTexts('Write a report: junit or json; junit=<file> sets the file', 'kind'),
          },
        },
        docs: described(
          'Run the tests of an agent',
          'schemakit agent test agents/gardener/agent.mjs --replay',
          'schemakit agent test agents/gardener/agent.mjs --record --review review.html',
        ),
      }),
      serve: buildCommand({
        loader: async () => command('agent serve', (await import('./serve-agents.ts')).serveAgents, output),
        parameters: {
          positional: files,
          flags: {
            ...agentFlags,
            ...listenFlags,
            ...limitFlags,
            a2a: yesNo('Serve the agents over A2A, too: their card is at /.well-known/agent-card.json'),
            a2aUrl: textFlag('With --a2a: its public URL (default: /a2a where the client asks)', 'url'),
            a2aKey: textFlag(
              'With --a2a: private key (PEM; RSA from 2048 bits) that signs the card; needs --a2a-url',
              'file',
            ),
            events: yesNo('Stream the events of runs at /mcp/events, to each client its own; needs a token'),
            ...workFlags,
            tasks: textFlag(`Where runs are kept, so that they go on after a restart: ${tasksText}`, 'url'),
            work: negatable('Only queue runs, for workers with the same --tasks'),
            maxWaiting: optionalNumber('Runs that may wait for a worker; further calls are refused as busy', 'count', {
              min: 1,
            }),
            priority: optionalNumber(
              'Of the runs of this server, 0 to 9: higher ones are taken first (default: 0)',
              'level',
              {
                max: 9,
              },
            ),
          },
        },
        docs: described(
          'Serve agents as an MCP server over HTTP, each as one tool',
          'schemakit agent serve agents/*/agent.mjs',
          'schemakit agent serve agents/*/agent.mjs --tasks sqlite:runs.db',
        ),
      }),
      worker: buildCommand({
        loader: async () => command('agent worker', (await import('./work-agents.ts')).workAgents, output),
        parameters: {
          positional: files,
          flags: {
            ...agentFlags,
            ...limitFlags,
            ...workFlags,
            tasks: { ...textFlag(`Where servers keep runs: ${tasksText}`, 'url'), optional: false },
            grace: optionalNumber(
              'How long requests in flight may take at the end, in milliseconds (default: 5,000)',
              'ms',
              { max: 86_400_000 },
            ),
            metricsPort: optionalNumber('Port for /metrics; 0 for any free port (default: none)', 'port', {
              max: 65_535,
            }),
            metricsHost: textFlag('With --metrics-port: its address (default: 127.0.0.1)', 'address'),
          },
        },
        docs: described(
          'Work on the runs that servers have queued',
          'schemakit agent worker agents/*/agent.mjs --tasks redis://queue:6379',
        ),
      }),
      runs: runsCommands(output),
    },
    docs: { brief: 'Run, test and serve agents' },
  });
