import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { described } from './parameters.ts';

/** `schemakit demo`: prints as it runs, and has no result. */
export function demoCommand(): Command<CommandContext> {
  return buildCommand({
    loader: async () => (await import('./demo/run-demo.ts')).demo,
    parameters: { flags: {} },
    docs: described('Start a sample API, serve it over MCP, and call its tools', 'schemakit demo'),
  });
}
