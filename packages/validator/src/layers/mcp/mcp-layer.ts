import type { Layer, LayerContext, LayerOutcome } from '../../assess/layer.ts';
import { isHtml, mediaType, type Page, pageKind } from '../../assess/page.ts';
import { asMessage, type Finding } from '../../findings/finding.ts';
import { field, type PlainObject } from '../../findings/plain-object.ts';
import type { HttpTrace } from '../../network/exchange.ts';
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
    if (run.seen.session === undefined && !speaksMcp(run)) {
      const page = await shared.page();
      const absence = withoutSession(run, page);
      if (absence.state === 'not-detected') return absence;
      // What kept clients out is a fault; but a website need not be a server, too.
      const faults = connectionFindings(run).filter(({ code }) => !isWebsite(page) || !NOT_MCP.has(code));
      return { ...absence, findings: faults };
    }
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
export function isOtherThanMcp(run: Run, page: Page): boolean {
  const { session } = run.seen;
  if (session !== undefined || !run.isReachable || speaksMcp(run)) return false;
  const traces = run.attempts.flatMap(({ exchange }) => exchange.http);
  // A connection that is cut says nothing.
  if (traces.length === 0) return false;
  if (traces.some(({ status }) => status >= 500 || (status >= 300 && status < 400))) return false;
  if (connectionFindings(run).every(({ code }) => NOT_MCP.has(code))) return true;
  // Many websites refuse each POST, with a page.
  return isWebsite(page) && traces.every(isPageOfRefusal);
}

function isWebsite({ hops }: Page): boolean {
  const last = hops.at(-1);
  return last !== undefined && pageKind(last) === 'website';
}

function isPageOfRefusal({ status, headers }: HttpTrace): boolean {
  return status >= 400 && isHtml(mediaType(headers)) && headers['www-authenticate'] === undefined;
}

function connectionFindings({ findings }: Run): Run['findings'] {
  return findings.filter(({ code }) => code.startsWith('CON-'));
}

/** What layers say that need a session, if there is none. */
export function withoutSession(run: Run, page: Page): Exclude<LayerOutcome, { detected: true }> {
  const skipped = `No MCP session: ${connectionFindings(run).map(asMessage).join('; ')}`;
  return { detected: false, state: isOtherThanMcp(run, page) ? 'not-detected' : 'not-evaluated', skipped };
}
