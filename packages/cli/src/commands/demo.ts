import { buildCommand } from '@stricli/core';
import type { MakeCommand } from '../run-command.ts';
import { described } from './parameters.ts';

/** `schemakit demo`: prints as it runs, and has no result. */
export const demoCommand: MakeCommand = () =>
  buildCommand({
    loader: async () => (await import('./demo/run-demo.ts')).demo,
    parameters: { flags: {} },
    docs: described('Start a sample API, serve it over MCP, and call its tools', 'schemakit demo'),
  });
