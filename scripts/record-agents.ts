// Records the tests of the agents in catalog/agents again: npx node scripts/record-agents.ts
// The model is scripted (below); the demo API and Prometheus (Debian's prometheus) are real. Build first: npm run build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScriptedModel, type ScriptedTurn } from '@schemakit/agent-server/testing';
import { startDemoApi } from '../packages/cli/src/commands/demo/demo-api.ts';

const root = join(import.meta.dirname, '..');

const source = (tool: string, query: string, insight: string) => ({ id: 1, tool, query, insight });
const answer = (title: string, analysis: string, keyFindings: string[], sources: object[]): ScriptedTurn => ({
  calls: [{ name: 'submit_answer', args: { title, analysis, keyFindings, sources } }],
});
const call = (name: string, args: Record<string, unknown> = {}): ScriptedTurn => ({ calls: [{ name, args }] });

/** The turns of the model, by the question. */
const scripts: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  'What can I sow in March?': [
    call('garden__getCalendar', { month: 3 }),
    answer(
      'Sowing in March',
      'Broad beans are sown in March.',
      ['Sow broad beans.'],
      [source('getCalendar', 'month 3', 'What is sown in March.')],
    ),
  ],
  'How tall does the sunflower get, and in which bed is it?': [
    call('garden__getPlant', { id: 'sunflower' }),
    answer(
      'The sunflower',
      'It gets 250 cm tall and stands in the south bed.',
      ['250 cm', 'south bed'],
      [source('getPlant', 'sunflower', 'Height and bed.')],
    ),
  ],
  'Do the leeks need water?': [
    call('garden__searchPlants', { q: 'leek' }),
    call('garden__readSoil', { bed: 'north' }),
    answer(
      'Water for the leeks',
      'The leeks stand in the north bed, whose soil is damp.',
      ['No water is needed.'],
      [source('readSoil', 'north', 'The soil is damp.')],
    ),
  ],
  'Which targets are scraped, and are they up?': [
    call('prometheus__getTargets'),
    answer(
      'Targets',
      'One target is scraped, Prometheus itself. It is up.',
      ['prometheus is up'],
      [source('getTargets', 'all', 'One active target, health up.')],
    ),
  ],
  'What is prometheus_build_info?': [
    call('prometheus__getMetadata', { metric: 'prometheus_build_info' }),
    answer(
      'prometheus_build_info',
      'A gauge whose labels say which version runs.',
      ['It is a gauge.'],
      [source('getMetadata', 'prometheus_build_info', 'Type and help text.')],
    ),
  ],
  'Which jobs are there, and is each of them up?': [
    call('prometheus__getLabelValues', { label: 'job' }),
    call('prometheus__query', { query: 'up' }),
    answer(
      'Jobs',
      'There is one job, prometheus, and it is up. Query: up',
      ['prometheus: up'],
      [source('query', 'up', 'The value is 1.')],
    ),
  ],
};

const model = await createScriptedModel({
  respond({ messages }) {
    const [{ text = '' } = {}] = messages;
    return (
      scripts[text]?.[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'There is no script.' }
    );
  },
});
const api = await startDemoApi({ port: 4848 });
const home = await mkdtemp(join(tmpdir(), 'schemakit-record-'));
const prometheus = spawn(
  'prometheus',
  ['--config.file=/dev/null', '--web.listen-address=127.0.0.1:9090', `--storage.tsdb.path=${home}/data`],
  {
    stdio: 'ignore',
  },
);
try {
  for (const name of ['gardener', 'metrics-guide']) {
    const file = join('catalog/agents', name, 'agent.mjs');
    const args = [
      'packages/cli/bin/schemakit.js',
      'agent',
      'test',
      file,
      '--record',
      '--schema',
      'catalog/demo',
      '--schema',
      'catalog/prometheus',
    ];
    const env = {
      ...process.env,
      HOME: home,
      GARDEN_API_KEY: api.apiKey,
      LLM_BASE_URL: model.url,
      LLM_API_KEY: 'a-key-that-is-not-needed',
    };
    const recording = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
    await once(recording, 'close');
  }
} finally {
  prometheus.kill();
  await Promise.all([model.close(), api.close()]);
  await rm(home, { recursive: true, force: true });
}
