import type { ClientCapabilities, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { ServedTool } from '../catalog/tool-catalog.ts';

/** A page that hosts show beside the answers of tools (MCP Apps, SEP-1865). All that it needs is in its HTML. */
export interface ServedApp {
  /** Begins with `ui://`. */
  uri: string;
  title: string;
  html(): string | Promise<string>;
  /** Whether it shows the answers of a tool, by its MCP name. Of several pages, the first one does. Default: of all tools. */
  shows?(tool: string): boolean;
  /** Whether it may send the argument `select` to tools that do not list it. Default false. */
  canSelect?: boolean;
  /** Tools that only the page calls. Models do not see them. */
  tools?: readonly ServedTool[];
}

const extension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';
// Hosts allow a page no network unless it names origins (SEP-1865, Content Security Policy).
const meta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

/** Whether a client shows pages of MCP Apps. */
export function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = Object(capabilities?.extensions?.[extension]) as { mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(mimeType);
}

/** The page for the answers of a tool. */
export function appOf(apps: readonly ServedApp[], tool: string): ServedApp | undefined {
  return apps.find(({ shows }) => shows?.(tool) ?? true);
}

/** The entry of a tool in `tools/list`, with its page. */
export function withApp(listing: ServedTool['listing'], apps: readonly ServedApp[]): ServedTool['listing'] {
  const app = appOf(apps, listing.name);
  return app === undefined ? listing : withUi(listing, { resourceUri: app.uri });
}

/** The entries of the tools that only pages call. */
export function appTools(apps: readonly ServedApp[]): ServedTool['listing'][] {
  return apps.flatMap(({ uri, tools = [] }) =>
    tools.map(({ listing }) => withUi(listing, { resourceUri: uri, visibility: ['app'] })),
  );
}

function withUi(listing: ServedTool['listing'], ui: Record<string, unknown>): ServedTool['listing'] {
  // A tool of a program may bring its own.
  const { _meta } = listing as { _meta?: Record<string, unknown> };
  return { ...listing, _meta: { ui, ..._meta } } as ServedTool['listing'];
}

/** The entry of a page in `resources/list`. */
export function appListing({ uri, title }: ServedApp): Resource {
  return { uri, name: title, mimeType, _meta: meta };
}

export async function readApp({ uri, html }: ServedApp): Promise<ReadResourceResult['contents'][number]> {
  return { uri, mimeType, text: await html(), _meta: meta };
}
