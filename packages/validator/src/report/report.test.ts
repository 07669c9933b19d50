import { describe, expect, it } from 'vitest';
import { gatedResult, withOption } from '../../fixtures/payments.ts';
import { plainTool, serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { compare } from '../compare/compare.ts';
import { type StartResult, start } from '../start.ts';
import { toHtml } from './to-html.ts';
import { toSarif } from './to-sarif.ts';
import { toText } from './to-text.ts';

const nasty = '<script>alert("x")</script>\u001b[31m';

async function lookAtPaid(): Promise<StartResult> {
  const tools = [{ ...plainTool, name: nasty, description: nasty }];
  const { endpoint } = await serveSdk2({ tools, call: () => gatedResult(withOption({ amount: '1e3' })) });
  return start({ endpoint });
}

describe('a report', () => {
  it('as text has facts, findings and advice', async () => {
    const result = await lookAtPaid();
    const text = toText(result);
    expect(text).toContain('MCP        yes, 2026-07-28 over streamable-http');
    expect(text).toContain('Payment    required by 1; valid options: 0 of 1 (eip155:8453)');
    expect(text).toContain('</script> [31m].accepts[0].amount: ');
    expect(text).toContain(': 1e3 of 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 on eip155:8453 to 0x');
    expect(text).not.toContain('\u001b');
    const after = structuredClone(result);
    after.entries.tools = [];
    expect(toText(after, { comparison: compare({ before: result, after }) })).toContain('Tools: 1 removed');
  });

  it('as HTML runs no code of a server', async () => {
    const html = toHtml(await lookAtPaid());
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
  });

  it('as SARIF has a rule and a location for every result', async () => {
    const result = await lookAtPaid();
    const [run] = toSarif(result).runs;
    expect(run?.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['PRB-007', 'note'],
      ['PAY-064', 'error'],
    ]);
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(['PRB-007', 'PAY-064']);
    expect(run?.results[1]?.locations[0]).toEqual({
      physicalLocation: { artifactLocation: { uri: result.entries.endpoint } },
      logicalLocations: [{ fullyQualifiedName: `payment[${nasty.replace('\u001b', ' ')}].accepts[0].amount` }],
    });
  });

  it('as SARIF has the changes of a comparison', async () => {
    const result = await lookAtPaid();
    const after = structuredClone(result);
    after.entries.tools = [{ ...after.entries.tools[0], description: 'Now something else' }];
    const [run] = toSarif(after, { comparison: compare({ before: result, after }) }).runs;
    expect(run?.results.map(({ ruleId }) => ruleId)).toEqual(['PRB-007', 'PAY-064', 'tool-changed', 'server-changed']);
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(run?.results.map(({ ruleId }) => ruleId));
  });

  it('shows unchecked parts as unknown', async () => {
    const text = toText(await start({ endpoint: 'http://127.0.0.1:1/' }));
    expect(text).toContain('Offers     not seen');
    expect(text).toContain('Payment    unknown');
    expect(text).toContain('OAuth      unknown');
    const { endpoint } = await serveSdk2();
    expect(toText(await start({ endpoint, probe: 'none' }))).toContain('Payment    unknown');
  });

  it.each([toText, toHtml, toSarif])('works for an empty run: %o', async (format) => {
    expect(JSON.stringify(format(await start({} as never)))).toContain('VAL-001');
  });
});
