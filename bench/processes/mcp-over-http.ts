import { Pool } from 'undici';

const sessionRevision = '2025-06-18';
const statelessRevision = '2026-07-28';
const clientInfo = { name: 'schemakit-bench', version: '1.0.0' };
const meta = {
  'io.modelcontextprotocol/protocolVersion': statelessRevision,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface HttpAnswer {
  status: number;
  text: string;
}

/** A client of Streamable HTTP that reads no more of the answers than it must. */
export interface McpOverHttp {
  /** Says hello, and begins a session; stateless, there is none. */
  begin(): Promise<void>;
  /** Ends the session. */
  end(): Promise<void>;
  /** Sends a request or a notification, and gives back the answer as it came. */
  post(
    method: string,
    params: object,
    options?: { signal?: AbortSignal; onSent?: (id: number) => void },
  ): Promise<HttpAnswer>;
  /** Sends a request and gives back its result; throws where the answer is an error. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Speaks with a server in one session, or stateless as in the revision of 2026-07-28. */
export function mcpOverHttp({
  port,
  path = '/mcp',
  isStateless,
  connections,
}: {
  port: number;
  path?: string | undefined;
  isStateless: boolean;
  connections: number;
}): McpOverHttp {
  // Some servers end connections that are idle for a few seconds, while others are measured: these are ended before.
  const keepAlive = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 };
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, ...keepAlive });
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let session: Record<string, string> = {};
  let id = 0;

  const headersOf = (method: string, { name }: { name?: string }) =>
    isStateless
      ? {
          ...common,
          'mcp-protocol-version': statelessRevision,
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': name }),
        }
      : { ...common, ...session };

  const client: McpOverHttp = {
    async begin() {
      if (isStateless) return;
      session = {};
      await client.request('initialize', { protocolVersion: sessionRevision, capabilities: {}, clientInfo });
      await client.post('notifications/initialized', {});
    },
    async end() {
      if (isStateless) return;
      const { body } = await pool.request({ path, method: 'DELETE', headers: { ...common, ...session } });
      await body.dump();
    },
    async post(method, params, { signal, onSent } = {}) {
      const isNotice = method.startsWith('notifications/');
      if (!isNotice) id += 1;
      onSent?.(id);
      const sent = isStateless ? { ...params, _meta: meta } : params;
      const body = JSON.stringify({ jsonrpc: '2.0', ...(!isNotice && { id }), method, params: sent });
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: headersOf(method, params),
        body,
        ...(signal && { signal }),
      });
      const { 'mcp-session-id': given } = answer.headers;
      if (typeof given === 'string') session = { 'mcp-session-id': given, 'mcp-protocol-version': sessionRevision };
      return { status: answer.statusCode, text: await answer.body.text() };
    },
    async request(method, params = {}) {
      const { text, status } = await client.post(method, params);
      if (status !== 200) throw new Error(`${method}: ${status} ${text.slice(0, 500)}`);
      const answer = JSON.parse(messageIn(text));
      if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
      return answer.result;
    },
    close: () => pool.destroy(),
  };
  return client;
}

/** The message of an answer: the whole of it, or what stands in a stream of events. */
export function messageIn(text: string): string {
  return text.startsWith('{') ? text : text.slice(text.indexOf('data: {') + 'data: '.length).trim();
}
