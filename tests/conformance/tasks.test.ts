import { InMemoryTaskStore, storeTasks } from '@schemakit/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAgentTaskServer } from './agent-task-server.ts';
import type { SuiteServer } from './fixture-server.ts';
import { runSuite } from './run-suite.ts';
import { startTaskServer } from './task-server.ts';

/** The suite has no scenarios for tasks of 2025-11-25, and skips the notifications. */
const scenarios = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

/** What no agent does, and so is tried on the other server only. */
const notOfAgents: Record<string, string[]> = {
  // What goes wrong in a run is a result with isError: the caller's model can do something about it, unlike about an error of the protocol.
  'tasks-lifecycle': ['tasks-lifecycle:sep-2663-tasks-get-status-failed'],
  // An agent asks one question at a time.
  'tasks-mrtr-input': ['tasks-mrtr-input:tasks-mrtr-partial-fulfillment'],
  // The scenario compares the text of an answer. That of an agent is Markdown, with a heading for each field.
  'tasks-request-headers': ['tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call'],
  // An agent asks during its run, so as a task, and not before.
  'tasks-mrtr-composition': ['tasks-mrtr-composition:sep-2663-mrtr-synchronous-before-task-creation'],
};

describe.each<[string, () => Promise<SuiteServer>, typeof notOfAgents]>([
  ['a server over a task store', () => startTaskServer(storeTasks(new InMemoryTaskStore())), {}],
  ['an agent server over a file', startAgentTaskServer, notOfAgents],
])('%s', (_, start, expectedFailures) => {
  let server: SuiteServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.close());

  test.each(scenarios)('%s', async (scenario) => {
    const options = ['--scenario', scenario, '--spec-version', '2026-07-28', '--force'];
    const { output, failed, passed, unclear } = await runSuite(server.url, options);
    expect(failed, output).toEqual(expectedFailures[scenario] ?? []);
    if (failed.length > 0) return;
    expect([passed, unclear]).toEqual(scenario === 'tasks-status-notifications' ? [[], [scenario]] : [[scenario], []]);
  });
});
