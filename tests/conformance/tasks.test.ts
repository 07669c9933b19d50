import { InMemoryTaskStore, storeTasks } from '@schemakit/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SuiteServer } from './fixture-server.ts';
import { runSuite } from './run-suite.ts';
import { startTaskServer } from './task-server.ts';

let server: SuiteServer;
beforeAll(async () => {
  server = await startTaskServer(storeTasks(new InMemoryTaskStore()));
});
afterAll(() => server?.close());

/** The suite has no scenarios for tasks of 2025-11-25, and skips the notifications. */
test.each([
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
])('%s', async (scenario) => {
  const options = ['--scenario', scenario, '--spec-version', '2026-07-28', '--force'];
  const { output, failed, passed, unclear } = await runSuite(server.url, options);
  expect(failed, output).toEqual([]);
  expect([passed, unclear]).toEqual(scenario === 'tasks-status-notifications' ? [[], [scenario]] : [[scenario], []]);
});
