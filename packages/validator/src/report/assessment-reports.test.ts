import { expect, it } from 'vitest';
import { evmOption, gatedResult, required } from '../../fixtures/payments.ts';
import { send, serveScript } from '../../fixtures/scripted-server.ts';
import { type Offer, plainTool, serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { type Assessment, assess } from '../assess/assess.ts';
import { compareAssessments } from '../assess/compare-assessments.ts';
import { toHtml } from './to-html.ts';
import { toSarif } from './to-sarif.ts';
import { toText } from './to-text.ts';

const paid = (amount: string): Offer => ({ call: () => gatedResult(required({ accepts: [evmOption({ amount })] })) });

async function look(offer: Offer): Promise<Assessment> {
  return assess({ url: (await serveSdk2(offer)).endpoint, timeout: 8000 });
}

it('text has the grade, each layer, and findings with reason, advice, rule and evidence', async () => {
  const text = toText(await look(paid('0')));
  expect(text).toMatch(/^Endpoint {2}http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
  expect(text).toMatch(/^Grade +[CD]: errors in .+; \d of 8 layers evaluated$/m);
  expect(text).toMatch(/^Next +\S: mend .*`PAY-063:payment\[forecast\]\.accepts\[0\]\.amount`/m);
  expect(text).toMatch(
    /^MCP +passed +weather 1\.2\.3, 2026-07-28 over streamable-http, 1 tool, 0 resources, 0 prompts$/m,
  );
  expect(text).toMatch(/^HTTP +passed +status \d+, no TLS$/m);
  expect(text).toMatch(/^Payment +failed +forecast: 0 USDC on Base$/m);
  expect(text).toMatch(/^OAuth +not detected +The endpoint advertises no OAuth and asks for none\.$/m);
  expect(text).toContain('ERROR   PAY-063 payment[forecast].accepts[0].amount: `amount` must be greater than 0\n');
  expect(text).toMatch(/^ {8}Why: {2}Clients compare the amount/m);
  expect(text).toMatch(/^ {8}Fix: {2}Require at least one atomic unit\.$/m);
  expect(text).toMatch(/^ {8}Rule: https:/m);
  expect(text).toMatch(/^ {8}Seen: tools\/call forecast -> \{"amount":"0"\}$/m);
});

it('the page escapes what a server says, and links the rules', async () => {
  const { endpoint } = await serveScript({
    'tools/list': ({ response }) => send(response, 500, '<script>alert(1)</script>'),
  });
  const page = toHtml(await assess({ url: endpoint, timeout: 8000 }));
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toContain('<script>');
  expect(page).toContain('<a href="https://modelcontextprotocol.io/');
  expect(page).toContain('of 8 evaluated');
  expect(page).toContain('<a href="#CON-008%3Atools">CON-008:tools</a>');
  expect(page).toContain('id="CON-008:tools"');
});

it('SARIF has each finding with the id of its code', async () => {
  const result = await look(paid('0'));
  const { runs } = toSarif(result);
  expect(runs[0]?.results.map(({ ruleId }) => ruleId)).toEqual(result.findings.map(({ code }) => code));
  expect(runs[0]?.results.at(-1)).toMatchObject({
    locations: [{ logicalLocations: [{ fullyQualifiedName: 'payment[forecast].accepts[0].amount' }] }],
  });
});

it('changes are in each report', async () => {
  const [before, after] = [await look({}), await look({ tools: [{ ...plainTool, name: 'tides' }] })];
  const comparison = compareAssessments({ before, after });
  expect(toText(after, { comparison })).toContain('mcp: 1 added: `tools/tides`.');
  expect(toHtml(after, { comparison })).toContain('mcp: 1 removed: `tools/forecast`.');
  expect(JSON.stringify(toSarif(after, { comparison }))).toContain('"server-changed"');
  const same = compareAssessments({ before, after: before });
  expect(toText(after, { comparison: same })).toContain('Nothing changed.');
});
