import type {
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
} from '@modelcontextprotocol/ext-apps';
import { type Signal, signal } from '@preact/signals';
import { applyContext } from './apply-context.ts';

/** A tool result, as far as pages read it (MCP specification, CallToolResult). */
export interface ToolResult {
  content: readonly Readonly<Record<string, unknown>>[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Readonly<Record<string, unknown>>;
}

/** The host of the page, and what it has said. The page talks to nobody else. */
export interface Host {
  capabilities: McpUiHostCapabilities;
  context: Signal<McpUiHostContext>;
  /** Arguments of the call whose answer the page shows. */
  input: Signal<Readonly<Record<string, unknown>> | undefined>;
  result: Signal<ToolResult | undefined>;
  /** Why the call was cancelled. */
  cancelled: Signal<string | undefined>;
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** @throws the host's refusal. */
  request<Result>(method: string, params: Readonly<Record<string, unknown>>): Promise<Result>;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message?: string };
}

// The SDK's client for pages has the schemas of all of MCP, 60 KB compressed; a page needs these few messages (SEP-1865).
const protocolVersion = '2026-01-26';
const methodNotFound = -32601;

/** Connects to the host that embeds the page. */
export async function connectHost(name: string): Promise<Host> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const send = (message: object) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  let lastId = 0;
  const request = <Result>(method: string, params: object): Promise<Result> => {
    lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(lastId, answer);
    send({ id: lastId, method, params });
    return answer.promise as Promise<Result>;
  };
  const host: Host = {
    capabilities: {},
    context: signal<McpUiHostContext>({}),
    input: signal<Readonly<Record<string, unknown>> | undefined>(undefined),
    result: signal<ToolResult | undefined>(undefined),
    cancelled: signal<string | undefined>(undefined),
    callTool: (tool, args) => request('tools/call', { name: tool, arguments: args }),
    request,
  };
  const listeners: Readonly<Record<string, (params: Record<string, unknown>) => void>> = {
    'ui/notifications/tool-input': (params) => {
      host.input.value = Object(params.arguments);
    },
    'ui/notifications/tool-result': (params) => {
      host.result.value = params as unknown as ToolResult;
    },
    'ui/notifications/tool-cancelled': ({ reason }) => {
      host.cancelled.value = typeof reason === 'string' ? reason : '';
    },
    'ui/notifications/host-context-changed': (params) => {
      host.context.value = { ...host.context.value, ...params };
      applyContext(host.context.value);
    },
  };
  window.addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
    if (source !== window.parent || data === null || typeof data !== 'object') return;
    const { id, method, params = {}, result, error } = data;
    if (method === undefined) {
      const answer = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (error === undefined) answer?.resolve(result);
      else answer?.reject(new Error(error.message ?? 'The host refused.'));
    } else if (id === undefined) listeners[method]?.(params);
    else if (method === 'ping' || method === 'ui/resource-teardown') send({ id, result: {} });
    else send({ id, error: { code: methodNotFound, message: `This page has no ${method}` } });
  });
  const asked: McpUiInitializeRequest['params'] = {
    appInfo: { name, version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion,
  };
  const { hostCapabilities, hostContext } = await request<McpUiInitializeResult>('ui/initialize', asked);
  host.capabilities = hostCapabilities;
  host.context.value = hostContext;
  applyContext(hostContext);
  send({ method: 'ui/notifications/initialized' });
  return host;
}

/** Tells the host how high the page is, whenever that changes. */
export function reportHeight(root: HTMLElement): void {
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    window.parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height } }, '*');
  }).observe(root);
}
