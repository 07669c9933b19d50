import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAgentTaskServer } from './agent-task-server.ts';
import { type SuiteServer, startFixtureServer } from './fixture-server.ts';
import { startPlainServer } from './plain-server.ts';
import { runSuite } from './run-suite.ts';
import { startServedCommand } from './served-command.ts';

const timeout = 120_000;

/** What the fixture server offers, and so is really tried. What this list lacks is in a baseline, as a feature that is not offered. */
const passedInBoth = [
  'completion-complete',
  'dns-rebinding-protection',
  'json-schema-2020-12',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'prompts-list',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'server-sse-multiple-streams',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
];
const passedSince2026 = [
  'caching',
  'http-header-validation',
  'input-required-result-unsupported-methods',
  'sep-2164-resource-not-found',
];
const passedUntil2025 = ['ping', 'server-initialize', 'server-session-lifecycle'];

/** These pass as well where a tool that they call is not there: they say nothing. */
const accidents = ['input-required-result-validate-input'];
/** Server-stateless has checks that call tools of the suite. */
const checksWithTools = [
  'server-stateless:sep-2575-server-rejects-undeclared-capability',
  'server-stateless:sep-2575-missing-capability-http-400',
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
  'server-stateless:sep-2575-server-no-log-without-loglevel',
];
/** Scenarios that call no tool, prompt or resource of the suite. */
const needNothing = [
  'dns-rebinding-protection',
  'prompts-list',
  'resources-list',
  'server-sse-multiple-streams',
  'tools-list',
];

/** Extensions are in no requirements of a revision. */
const skillScenarios = ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory'];

const baseline = (revision: string) => join(import.meta.dirname, `expected-failures-${revision}.yml`);
const meaningful = (scenarios: readonly string[]) => scenarios.filter((name) => !accidents.includes(name)).sort();

describe('a server with all that the suite asks for', () => {
  let server: SuiteServer;
  beforeAll(async () => {
    server = await startFixtureServer();
  });
  afterAll(() => server?.close());

  test.each([
    ['2025-11-25', [...passedInBoth, ...passedUntil2025]],
    ['2026-07-28', [...passedInBoth, ...passedSince2026]],
  ])(
    'conforms to %s',
    async (revision, expected) => {
      const options = ['--requirements', revision, '--expected-failures', baseline(revision)];
      const { exitCode, output, passed, failed } = await runSuite(server.url, options);
      expect(exitCode, output).toBe(0);
      expect(meaningful(passed)).toEqual(meaningful(expected));
      // The suite does not score all that it runs: what is not scored may fail for the same reasons only.
      const known = readFileSync(baseline(revision), 'utf8');
      const isExpected = (check: string) =>
        known.includes(`- ${check} #`) || /^(?:tasks-|http-custom-header-server-validation:)/.test(check);
      expect(failed.filter((check) => !isExpected(check))).toEqual([]);
    },
    timeout,
  );

  test('really has the tools, prompts and resources that are tried', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    const names = (all: readonly { name: string }[]) => all.map(({ name }) => name);
    expect(names((await client.listTools()).tools)).toEqual(
      expect.arrayContaining([
        'test_simple_text',
        'test_image_content',
        'test_audio_content',
        'test_embedded_resource',
        'test_error_handling',
        'test_multiple_content_types',
        'test_tool_with_progress',
        'test_streaming_elicitation',
        'test_logging_tool',
        'json_schema_2020_12_tool',
      ]),
    );
    expect(names((await client.listPrompts()).prompts)).toEqual(
      expect.arrayContaining([
        'test_simple_prompt',
        'test_prompt_with_arguments',
        'test_prompt_with_embedded_resource',
        'test_prompt_with_image',
      ]),
    );
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'test://static-text',
      'test://static-binary',
      'skill://suite/guided/SKILL.md',
      'skill://suite/with-arguments/SKILL.md',
    ]);
    const { content, isError } = await client.callTool({ name: 'test_error_handling' });
    expect({ content, isError }).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('intentionally returns an error') }],
      isError: true,
    });
    await client.close();
  });

  test.each(['2025-11-25', '2026-07-28'])('each expected failure of %s names the feature that lacks', (revision) => {
    const entries = readFileSync(baseline(revision), 'utf8').match(/^ +- .*$/gm) ?? [];
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(entry).toMatch(/^ {2}- \S+ # \S/);
  });
});

describe.each([
  ['a server of schemas', startPlainServer],
  ['schemakit serve', startServedCommand],
])('%s', (_, start) => {
  let server: SuiteServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.close());

  test.each([
    // Without the attributes of caches, which this revision lacks.
    ['2025-11-25', skillScenarios.slice(1)],
    ['2026-07-28', skillScenarios],
  ])(
    'serves skills as the extension says, in %s',
    async (revision, expected) => {
      const runs = skillScenarios.map((scenario) =>
        runSuite(server.url, ['--scenario', scenario, '--spec-version', revision, '--force']),
      );
      const results = await Promise.all(runs);
      expect(results.flatMap(({ failed }) => failed)).toEqual([]);
      expect(results.flatMap(({ passed }) => passed)).toEqual(expected);
    },
    timeout,
  );

  test.each([
    ['2025-11-25', [...needNothing, ...passedUntil2025], []],
    ['2026-07-28', [...needNothing, ...passedSince2026], checksWithTools],
  ])(
    'passes what needs nothing of the suite, in %s',
    async (revision, expected, withTools) => {
      const { output, passed, failed } = await runSuite(server.url, ['--requirements', revision]);
      expect(meaningful(passed), output).toEqual(meaningful(expected));
      expect(failed.filter((check) => check.startsWith('server-stateless:')).sort()).toEqual([...withTools].sort());
    },
    timeout,
  );
});

describe('agents', () => {
  let server: SuiteServer;
  beforeAll(async () => {
    server = await startAgentTaskServer();
  });
  afterAll(() => server?.close());

  test.each([
    ['2025-11-25', [...needNothing, ...passedUntil2025], []],
    // The scenario of caches reads a resource, which agents do not have.
    ['2026-07-28', [...needNothing, ...passedSince2026.filter((name) => name !== 'caching')], checksWithTools],
  ])(
    'pass what needs nothing of the suite, in %s',
    async (revision, expected, withTools) => {
      const { output, passed, failed } = await runSuite(server.url, ['--requirements', revision]);
      // tasks.test.ts runs those of tasks.
      expect(
        meaningful(passed).filter((name) => !name.startsWith('tasks-')),
        output,
      ).toEqual(meaningful(expected));
      expect(failed.filter((check) => check.startsWith('server-stateless:')).sort()).toEqual([...withTools].sort());
    },
    timeout,
  );
});
