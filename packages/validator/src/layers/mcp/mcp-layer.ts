import type { Layer, LayerContext, LayerOutcome } from '../../assess/layer.ts';
import { asMessage, type Finding } from '../../findings/finding.ts';
import { field, type PlainObject } from '../../findings/plain-object.ts';
import type { Run } from '../../run-steps.ts';
import { entriesOf } from '../../snapshot/entries.ts';
import { categoriesOf } from '../../snapshot/snapshot.ts';
import { mcpCodes } from './mcp-codes.ts';
import { checkCard } from './server-card.ts';
import { checkSkills } from './skills.ts';
import { judgeTools } from './tool-quality.ts';
import { probeWire } from './wire-probes.ts';

/** The MCP server: what `start` tells, without payment and authorization, and how well it does what it does. */
export const mcpLayer: Layer = {
  name: 'mcp',
  async run(context) {
    const { shared } = context;
    const [more, run] = await Promise.all([shared.mcp().then((found) => lookCloser(found, context)), shared.probed()]);
    const findings = run.findings.filter(({ code }) => Object.hasOwn(mcpCodes, code));
    if (run.seen.session === undefined && !speaksMcp(run))
      return { ...withoutSession(run), ...(!run.isReachable && { findings: connectionFindings(run) }) };
    const entries = entriesOf(run.seen);
    const supportsMcp = run.seen.session !== undefined;
    const { isReachable, hasTools, hasResources, hasPrompts, supportsTasks, supportsMcpApps } = categoriesOf(entries, {
      isReachable: run.isReachable,
      supportsMcp,
    });
    const { x402: _x402, oauth: _oauth, oauthFlags: _flags, complete, ...own } = entries;
    const { x402: _, oauth: __, ...lists } = complete;
    return {
      detected: true,
      categories: {
        ...{ isReachable, supportsMcp, hasTools, hasResources, hasPrompts, supportsTasks, supportsMcpApps },
        ...{ supportsSkills: more.entries.skills !== null, hasServerCard: more.entries.serverCard !== null },
      },
      entries: { ...own, complete: lists, ...more.entries },
      findings: [...findings, ...more.findings],
    };
  },
};

const PART = 0.8;

/** What `start` does not ask: the transport, the quality of the tools, skills, and the Server Card. */
async function lookCloser(run: Run, context: LayerContext): Promise<{ entries: PlainObject; findings: Finding[] }> {
  const { session, listed } = run.seen;
  if (session === undefined)
    return { entries: { wire: null, toolQuality: null, skills: null, serverCard: null }, findings: [] };
  const { quality, findings } = judgeTools(listed?.tools ?? [], session.instructions);
  // The parts end before the layer does, so that it can say what they saw.
  const clock = context.clock.part(PART);
  const inTime = { ...context, clock };
  const [wire, skills, card] = await Promise.all([
    probeWire(run, inTime),
    checkSkills(session, clock),
    checkCard(session, inTime),
  ]);
  clock.release();
  return {
    entries: {
      wire: wire?.view ?? null,
      toolQuality: quality,
      skills: skills?.view ?? null,
      serverCard: card?.view ?? null,
    },
    findings: [...[wire, skills, card].flatMap((found) => found?.findings ?? []), ...findings],
  };
}

/** JSON-RPC codes of servers that speak JSON-RPC, but not MCP. */
const UNKNOWN: ReadonlySet<unknown> = new Set([-32600, -32601]);

/** Whether the handshake failed in MCP itself. */
function speaksMcp({ attempts }: Run): boolean {
  const last = attempts.flatMap(({ exchange }) => exchange.messages).at(-1);
  return last !== undefined && !UNKNOWN.has(field(field(last, 'error'), 'code'));
}

/** Only these mean that something else answers at the URL. */
const NOT_MCP: ReadonlySet<string> = new Set(['CON-004', 'CON-007']);

/** Whether something else than an MCP server answers. Errors and redirects may hide one. */
export function isOtherThanMcp(run: Run): boolean {
  const { session } = run.seen;
  if (session !== undefined || !run.isReachable || speaksMcp(run)) return false;
  const statuses = run.attempts.flatMap(({ exchange }) => exchange.http.map(({ status }) => status));
  if (statuses.some((status) => status >= 500 || (status >= 300 && status < 400))) return false;
  return connectionFindings(run).every(({ code }) => NOT_MCP.has(code));
}

function connectionFindings({ findings }: Run): Run['findings'] {
  return findings.filter(({ code }) => code.startsWith('CON-'));
}

/** What layers say that need a session, if there is none. */
export function withoutSession(run: Run): Exclude<LayerOutcome, { detected: true }> {
  const skipped = `No MCP session: ${connectionFindings(run).map(asMessage).join('; ')}`;
  return { detected: false, state: isOtherThanMcp(run) ? 'not-detected' : 'not-evaluated', skipped };
}
