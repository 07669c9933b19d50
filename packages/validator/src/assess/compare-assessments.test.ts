import { describe, expect, it } from 'vitest';
import { evmOption, gatedResult, required, solanaOption } from '../../fixtures/payments.ts';
import { type Offer, plainTool, serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { compare } from '../compare/compare.ts';
import { toText } from '../report/to-text.ts';
import { type Assessment, assess } from './assess.ts';
import { compareAssessments } from './compare-assessments.ts';

async function look(offer: Offer): Promise<Assessment> {
  return assess({ url: (await serveSdk2(offer)).endpoint });
}

const priced = (amount: string): Offer => ({
  tools: [plainTool, { ...plainTool, name: 'tides' }],
  call: (name) => (name === 'tides' ? gatedResult(required({ accepts: [evmOption({ amount })] })) : { content: [] }),
});

/** The changes, without those of the address, which is another for each server. */
function changesIn(before: Assessment, after: Assessment) {
  after.entries.endpoint = before.entries.endpoint;
  for (const { layers } of [before, after]) if (layers.mcp.detected) layers.mcp.entries.endpoint = '';
  return compareAssessments({ before, after });
}

describe('two assessments of a server', () => {
  it('that did not change have no changes', async () => {
    const { endpoint } = await serveSdk2(priced('10000'));
    const [before, after] = [await assess({ url: endpoint }), await assess({ url: endpoint })];
    expect(compareAssessments({ before, after })).toMatchObject({ status: true, hasChanges: false });
  });

  it('tell what was added, removed and changed, by layer', async () => {
    const before = await look({ tools: [plainTool, { ...plainTool, name: 'tides' }] });
    const after = await look({
      tools: [
        { ...plainTool, description: 'Other.' },
        { ...plainTool, name: 'moon' },
      ],
    });
    const { hasChanges, diff } = changesIn(before, after);
    expect(hasChanges).toBe(true);
    expect(diff.mcp).toEqual({
      added: ['tools/moon'],
      removed: ['findings/TOOL-003:tools', 'tools/tides'],
      modified: [
        {
          name: 'tools/forecast',
          changes: [{ field: 'description', kind: 'modified', before: 'The weather.', after: 'Other.' }],
        },
      ],
    });
  });

  it('tell a new price', async () => {
    const { diff } = changesIn(await look(priced('10000')), await look(priced('20000')));
    expect(diff.mcp).toEqual({ added: [], removed: [], modified: [] });
    expect(diff.payment.modified.map(({ name }) => name)).toEqual(['perTool/tides', 'prices/tides']);
  });

  it('tell that a layer appeared, and not each of its parts', async () => {
    const { diff } = changesIn(await look({ tools: [plainTool] }), await look(priced('10000')));
    expect(diff.payment).toMatchObject({
      added: [],
      removed: [],
      modified: [{ name: 'state', changes: [{ after: 'passed' }] }],
    });
  });

  it('are the same in another order of tools', async () => {
    const tools = ['tides', 'moon', 'sun'].map((name) => ({ ...plainTool, name }));
    const call = (name: string) =>
      gatedResult(
        required({ accepts: [name === 'moon' ? solanaOption() : evmOption({ amount: name === 'sun' ? '0' : '1' })] }),
      );
    const { diff } = changesIn(await look({ tools, call }), await look({ tools: tools.toReversed(), call }));
    const nothing = { added: [], removed: [], modified: [] };
    expect({ mcp: diff.mcp, payment: diff.payment }).toEqual({ mcp: nothing, payment: nothing });
  });

  it('take nothing for removed that one of them did not see', async () => {
    const { endpoint } = await serveSdk2(priced('10000'));
    const before = await assess({ url: endpoint });
    const after = await assess({ url: 'http://127.0.0.1:1/' });
    const uncalled = await assess({ url: endpoint, probe: 'none' });
    const { hasChanges, unknown } = compareAssessments({ before, after });
    expect({ hasChanges, unknown }).toMatchObject({
      hasChanges: false,
      unknown: { mcp: ['state'], payment: ['state'] },
    });
    expect(compareAssessments({ before, after: uncalled })).toMatchObject({
      diff: { payment: { added: [], removed: [], modified: [] } },
      unknown: { payment: ['state'] },
    });
    const report = toText(after, { comparison: compareAssessments({ before, after }) });
    expect(report).toContain('Nothing changed in what both saw.\n');
    expect(report).toContain('mcp: unknown, because one of the assessments was incomplete: `state`.\n');
  });

  it('are not compared as results of start', async () => {
    const before = await look({});
    expect(compare({ before, after: before } as never).messages).toEqual([
      'VAL-012 compare.before: Is no result of `start`; compare it with `compareAssessments`',
      'VAL-015 compare.after: Is no result of `start`; compare it with `compareAssessments`',
    ]);
  });
});
