import type { Layer, LayerOutcome } from '../../assess/layer.ts';
import { asMessage } from '../../findings/finding.ts';
import { field } from '../../findings/plain-object.ts';
import type { Run } from '../../run-steps.ts';
import { entriesOf } from '../../snapshot/entries.ts';
import { categoriesOf } from '../../snapshot/snapshot.ts';
import { mcpCodes } from './mcp-codes.ts';

/** The MCP server: what `start` tells, without payment and authorization. */
export const mcpLayer: Layer = {
  name: 'mcp',
  async run({ shared }) {
    const run = await shared.probed();
    const findings = run.findings.filter(({ code }) => Object.hasOwn(mcpCodes, code));
    if (run.seen.session === undefined && !speaksMcp(run)) return undetected(run);
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
      categories: { isReachable, supportsMcp, hasTools, hasResources, hasPrompts, supportsTasks, supportsMcpApps },
      entries: { ...own, complete: lists },
      findings,
    };
  },
};

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

function undetected(run: Run): LayerOutcome {
  const findings = connectionFindings(run);
  const skipped = `No MCP session: ${findings.map(asMessage).join('; ')}`;
  const state = isOtherThanMcp(run) ? 'not-detected' : 'not-evaluated';
  return { detected: false, state, skipped, ...(!run.isReachable && { findings }) };
}
