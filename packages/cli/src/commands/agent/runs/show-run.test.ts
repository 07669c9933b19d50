import type { RunEvent, RunSummary } from '@schemakit/agent-server';
import { expect, test } from 'vitest';
import { runAsHtml, runAsText } from './show-run.ts';

const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 0, requests: 1 };
const message = { role: 'assistant' as const, content: '' };
const run: RunSummary = {
  id: '1',
  tool: 'askTides',
  state: 'running',
  createdAt: '',
  updatedAt: '',
  expiresAt: '',
  kills: 1,
};

/** Events of a run, each `ms` after it began. */
function journal(...steps: [ms: number, step: Record<string, unknown>][]): RunEvent[] {
  return steps.map(([ms, step], seq) => ({ runId: '1', seq, time: new Date(ms).toISOString(), ...step }) as RunEvent);
}

const events = journal(
  [0, { type: 'run.started', tool: 'askTides', model: 'a/b', args: { query: 'When?' } }],
  [0, { type: 'round.started', round: 1, forced: false }],
  [
    1000,
    {
      type: 'model.answered',
      round: 1,
      text: '',
      isCutOff: false,
      usage,
      message,
      durationMs: 1000,
      calls: [{ id: 'c1', name: 'getTides', args: { port: 'Kiel' } }],
    },
  ],
  [1000, { type: 'tool.called', callId: 'c1', tool: 'getTides', args: { port: 'Kiel' }, effect: 'write' }],
  [4000, { type: 'run.resumed' }],
  [
    4000,
    {
      type: 'tool.answered',
      callId: 'c1',
      id: '1.1',
      tool: 'getTides',
      text: 'Outcome unknown <b>',
      isError: true,
      isSent: false,
      durationMs: 0,
    },
  ],
  [4000, { type: 'run.paused', question: { message: 'Which \u001b[31mport?' } }],
);

test('a run that was interrupted and waits for its user is drawn in time', () => {
  const [head, asked, , , ...lines] = runAsText(run, events).split('\n');
  expect(head).toBe('askTides: running, interrupted 1 time (run 1)');
  expect(asked).toBe('Asked: {"query":"When?"}');
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual([
    '  0.00 s  1.00 s  ▒▒▒▒▒▒▒▒  model, round 1  120 tokens, calls getTides',
    '  1.00 s  3.00 s  ███████████████████████  ✗ getTides  {"port":"Kiel"}: Outcome unknown <b>',
    '  1.00 s  3.00 s  ░░░░░░░░░░░░░░░░░░░░░░░  interrupted, then went on',
    '  4.00 s  0.00 s  ░  waits for its user  Which \\u{1b}[31mport?',
  ]);
});

test('texts of a run are no markup on its page', () => {
  const html = runAsHtml(run, events);
  expect(html).toContain('Outcome unknown &lt;b&gt;');
  expect(html).not.toContain('<b>');
});
