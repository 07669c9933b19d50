import { describe, expect, it } from 'vitest';
import { apis, resultsIn, run, submit, tool, userTextIn } from '../../fixtures/scripted-run.ts';
import type { RunEvent } from './events.ts';
import { createMemoryJournal, type Journal } from './journal.ts';

/** A journal as it is left when the process ends after an event. */
function cutAfter(events: readonly RunEvent[], isLast: (event: RunEvent) => boolean): Journal {
  const journal = createMemoryJournal('run-1');
  for (const event of events.slice(0, events.findIndex(isLast) + 1)) journal.append(event);
  return journal;
}

describe.each(apis)('a run that was interrupted (%s)', (api) => {
  it('asks again where no answer came, and says the same', async () => {
    const turns = [{ text: 'It is three.' }, { calls: [submit()] }];
    const { events } = await run({ api, script: { turns } });
    const journal = cutAfter(events, (event) => event.type === 'round.started' && event.round === 2);
    const record = await run({ api, journal, script: { turns: turns.slice(1) } });
    expect(userTextIn(record, 0)).toContain('Call submit_answer now');
    expect(record.state.turns.map(({ round }) => round)).toEqual([1, 2]);
    expect(record.state.ended?.status).toBe('success');
  });

  it('sends no call again that has an answer, and none that is the same', async () => {
    const order = () => tool('order', 'ordered', { effect: 'write' });
    const calls = [
      { name: 'order', args: { item: 1 } },
      { name: 'order', args: { item: 2 } },
      { name: 'order', args: { item: 1 } },
    ];
    const turns = [{ calls }, { calls: [submit()] }];
    const { events } = await run({ api, tools: [order()], settings: { concurrency: 1 }, script: { turns } });
    const journal = cutAfter(events, ({ type }) => type === 'tool.answered');
    const again = order();
    const record = await run({ api, tools: [again], journal, script: { turns: turns.slice(1) } });
    expect(again.calls).toEqual([{ item: 2 }]);
    expect(resultsIn(record, 0)).toEqual(Array(3).fill(expect.stringContaining('ordered')));
    expect(record.events.map(({ seq }) => seq)).toEqual(record.events.map((_, index) => index));
  });

  it('has no more time than it had', async () => {
    const { events } = await run({ api, script: { turns: [{ calls: [submit()] }] } });
    const journal = cutAfter(events, ({ type }) => type === 'run.started');
    const later = () => new Date(Date.now() + 60_000);
    const record = await run({ api, journal, settings: { clock: later }, script: { turns: [] } });
    expect(record.state.ended).toMatchObject({ status: 'incomplete', reason: expect.stringContaining('timeoutMs') });
    expect(record.scripted.requests).toEqual([]);
  });

  it('stays as it is once it has ended', async () => {
    const { events } = await run({ api, script: { turns: [{ calls: [submit()] }] } });
    const journal = cutAfter(events, ({ type }) => type === 'run.ended');
    const record = await run({ api, journal, script: { turns: [] } });
    expect(record.state.ended).toMatchObject({ status: 'success', answer: { total: 3 } });
    expect(record.events).toEqual(events);
  });
});
