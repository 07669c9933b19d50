import type { Layer } from '../../assess/layer.ts';
import type { Session } from '../../connect/session.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { distinct, field, isPlainObject, type PlainObject } from '../../findings/plain-object.ts';
import { exactText, nameList } from '../../findings/plain-text.ts';
import type { Clock } from '../../network/clock.ts';
import { explainAnswer, resultOf } from '../../network/exchange.ts';
import { withoutSession } from '../mcp/mcp-layer.ts';
import { checkUiResource, type UiResource } from './ui-resource.ts';
import { toolFindings, type UiTool, uiTools } from './ui-tools.ts';

const EXTENSION = 'io.modelcontextprotocol/ui';
const MAX_READ = 20;
const MAX_MS = 5000;
/** Without an answer for this long, a resource is told as unreadable. */
const MIN_MS = 1000;
/** The layer needs time to say what it read. */
const PART = 0.8;

/** MCP Apps: what the UI resources hold, and which tools show them. */
export const appsLayer: Layer = {
  name: 'apps',
  async run({ shared, clock }) {
    const run = await shared.mcp();
    const { session, listed } = run.seen;
    if (session === undefined) return withoutSession(run, await shared.page());
    const tools = uiTools(listed?.tools ?? []);
    const listings = (listed?.resources ?? []).filter(({ uri }) => isUi(uri));
    const isDeclared = isPlainObject(field(field(session.capabilities, 'extensions'), EXTENSION));
    if (tools.length === 0 && listings.length === 0 && !isDeclared) {
      const isSeen = run.seen.lists?.tools !== false && run.seen.lists?.resources !== false;
      const skipped = isSeen ? 'The server has no UI resources and no tools for apps.' : 'The lists are incomplete.';
      return { detected: false, state: isSeen ? 'not-detected' : 'not-evaluated', skipped };
    }
    const part = clock.part(PART);
    const { resources, findings, latency, isComplete } = await readAll(session, { listings, tools, clock: part });
    part.release();
    const linked = tools.filter(({ resourceUri }) => resourceUri !== null);
    const all = [
      ...findings,
      ...resources.flatMap((resource) => resource.findings),
      ...toolFindings(tools),
      ...(resources.length > 0 && linked.length === 0
        ? [
            finding(
              'UIV-062',
              'tools',
              `No tool is linked to ${nameList(
                resources.map(({ uri }) => uri),
                { max: 3 },
              )}`,
            ),
          ]
        : []),
      ...(isDeclared ? [] : [finding('UIV-080', 'capabilities', `\`extensions\` has no ${EXTENSION}`)]),
    ];
    const lacks = (...codes: string[]): boolean => !all.some(({ code }) => codes.includes(code));
    const pages = resources.filter(({ characters }) => characters > 0);
    return {
      detected: true,
      categories: {
        ...{ isReachable: true, supportsMcp: true, supportsMcpApps: true },
        hasUiResources: listings.length > 0 || resources.length > 0,
        hasUiToolLinkage: linked.length > 0,
        hasValidUiHtml: pages.length > 0 && lacks('UIR-001', 'UIR-002', 'UIV-010', 'UIV-011', 'UIV-012', 'UIV-013'),
        hasValidCsp: pages.length > 0 && lacks('UIV-020', 'UIV-021', 'UIV-022'),
        supportsTheming: pages.some((page) => page.adaptsToTheme),
        supportsDisplayModes: pages.some((page) => page.adaptsToDisplayMode),
        hasToolVisibility: tools.some(({ visibility }) => visibility.length > 0),
        hasValidPermissions: resources.length > 0 && lacks('UIV-030'),
        hasGracefulDegradation: pages.some((page) => page.hasFallback),
      },
      entries: { ...entriesOf(resources, { listings, tools, linked }), isComplete, latency },
      findings: all,
    };
  },
};

function isUi(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith('ui://');
}

/** Reads listed resources, and those that only a tool names: servers need not list them. */
async function readAll(
  session: Session,
  { listings, tools, clock }: { listings: readonly PlainObject[]; tools: readonly UiTool[]; clock: Clock },
): Promise<{ resources: UiResource[]; findings: Finding[]; latency: number | null; isComplete: boolean }> {
  const named = tools.flatMap(({ resourceUri }) => (isUi(resourceUri) ? [resourceUri] : []));
  const uris = distinct([...listings.map(({ uri }) => String(uri)), ...named]);
  const resources: UiResource[] = [];
  const findings: Finding[] = [];
  let latency: number | null = null;
  for (const uri of uris.slice(0, MAX_READ)) {
    if (clock.remaining() === 0) break;
    const listing = listings.find((one) => one.uri === uri);
    const exchange = await session.request('resources/read', { uri }, Math.min(MAX_MS, clock.remaining()));
    latency ??= exchange.ms;
    const result = resultOf(exchange);
    const contents = field(result, 'contents');
    if (Array.isArray(contents)) {
      const own = contents.find((content) => field(content, 'uri') === uri) ?? contents[0];
      resources.push(checkUiResource(uri, listing, own));
    } else if (clock.remaining() > 0 || exchange.ms > MIN_MS) {
      const isLate = clock.remaining() === 0;
      const failure = isLate ? `no answer within ${exchange.ms} ms` : explainAnswer(exchange);
      const why = result === undefined ? failure : '`contents` is not an array';
      const code = listing === undefined ? 'UIV-060' : 'UIR-001';
      findings.push(finding(code, exactText(uri, 120), `${nameList([uri])}: ${why}`));
    }
  }
  const seen = resources.length + findings.length;
  if (seen < uris.length)
    findings.push(finding('UIR-003', 'resources', `Only ${seen} of ${uris.length} UI resources were looked at`));
  return { resources, findings, latency, isComplete: seen === uris.length && clock.remaining() > 0 };
}

/** In short; the lists of domains and permissions are those of all resources. */
function entriesOf(
  resources: readonly UiResource[],
  {
    listings,
    tools,
    linked,
  }: { listings: readonly PlainObject[]; tools: readonly UiTool[]; linked: readonly UiTool[] },
): PlainObject {
  const domains = (list: keyof UiResource['csp']): string[] => distinct(resources.flatMap(({ csp }) => csp[list]));
  return {
    uiResourceCount: distinct([...listings.map((listing) => listing.uri), ...resources.map(({ uri }) => uri)]).length,
    uiResources: resources.map(({ uri, name, mimeType, hasCsp, hasPermissions, characters }) => {
      return { uri, name, mimeType, hasCsp, hasPermissions, characters };
    }),
    uiLinkedToolCount: linked.length,
    uiLinkedTools: linked.slice(0, 100).map(({ name, resourceUri, visibility }) => ({ name, resourceUri, visibility })),
    appOnlyToolCount: tools.filter(({ visibility }) => visibility.length > 0 && !visibility.includes('model')).length,
    cspSummary: {
      connectDomains: domains('connectDomains'),
      resourceDomains: domains('resourceDomains'),
      frameDomains: domains('frameDomains'),
    },
    permissionsSummary: distinct(resources.flatMap(({ permissions }) => permissions)),
  };
}
