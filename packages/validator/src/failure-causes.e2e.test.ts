import { describe, expect, it } from 'vitest';
import { listen } from '../fixtures/loopback.ts';
import { resourceDocument, serveOAuth, serverDocument } from '../fixtures/oauth-site.ts';
import { serveScript } from '../fixtures/scripted-server.ts';
import { start } from './start.ts';

const node = process.execPath;

describe('the cause is reported for', () => {
  it('a missing command', async () => {
    const { messages } = await start({ stdio: { command: 'no-such-command-here' } });
    expect(messages[0]).toContain('CON-001 connect: stdio: command not found: no-such-command-here');
  });

  it('a missing folder', async () => {
    const { messages } = await start({ stdio: { command: node, cwd: '/no/such/folder' } });
    expect(messages[0]).toContain('the folder /no/such/folder (`cwd`) does not exist');
  });

  it('a server that ends after the handshake', async () => {
    const script = `
      process.stdin.on('data', (data) => {
        for (const line of String(data).split('\\n').filter(Boolean)) {
          const { id, method } = JSON.parse(line);
          const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
          if (method === 'initialize')
            answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } });
          else if (method === 'tools/list') { console.error('out of ink'); process.exit(7); }
          else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
        }
      });`;
    const { messages } = await start({ stdio: { command: node, args: ['-e', script] } });
    expect(messages[0]).toContain(
      'CON-008 tools: tools/list: the command ended with exit code 7; it wrote: out of ink',
    );
  });

  it('a refusal without a body, by its status', async () => {
    const { endpoint } = await listen((_, response) => void response.writeHead(404).end());
    const { messages } = await start({ endpoint });
    expect(messages[0]).toMatch(/streamable-http: Error POSTing to endpoint \(HTTP 404\); sse: .*404/);
  });

  it('an unknown protocol version, which is still MCP', async () => {
    const { endpoint } = await serveScript({
      initialize: { protocolVersion: '2042-01-01', capabilities: {}, serverInfo: { name: 'a', version: '1' } },
    });
    const { messages } = await start({ endpoint });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^CON-004 connect: .*2042-01-01/);
  });

  it('an invalid handshake, without a dump of schema errors', async () => {
    const { endpoint } = await serveScript({ initialize: { protocolVersion: 5 } });
    const { messages } = await start({ endpoint });
    expect(messages[0]).toMatch(/^CON-004 connect: .*the response is not valid MCP/);
    expect(messages[0]).not.toContain('"code"');
  });

  it('a run that was aborted', async () => {
    const controller = new AbortController();
    const { endpoint } = await listen((request) => {
      if (request.method === 'POST') controller.abort();
    });
    const { messages } = await start({ endpoint, signal: controller.signal });
    expect(messages).toContain('CON-003 connect: The run was aborted by `signal` before the handshake completed');
  });

  it('a call that the deadline ended', async () => {
    const { endpoint } = await serveScript({ 'tools/call': () => {} });
    const { messages } = await start({ endpoint, timeout: 1500 });
    expect(messages).toContain('PRB-004 tools: `one`: no response when the run timed out');
  });

  it('headers of the connection', async () => {
    const { messages } = await start({ endpoint: 'http://127.0.0.1:9/', headers: { Host: 'example.com' } });
    expect(messages).toEqual([expect.stringMatching(/^VAL-005 start.headers: .*Host/)]);
  });
});

describe('of OAuth is reported', () => {
  it('that not all authorization servers were checked', async () => {
    const { endpoint } = await serveOAuth({
      resource: (origin) =>
        resourceDocument(origin, {
          authorization_servers: Array.from({ length: 9 }, (_, index) => `${origin}/${index}`),
        }),
    });
    const { messages, entries } = await start({ endpoint });
    expect(messages).toContain('AUTH-002 oauth.resource: Only 5 of 9 authorization servers were checked');
    expect(entries.complete.oauth).toBe(false);
  });

  it('responses that are not metadata, and metadata without an issuer', async () => {
    const broken = await serveOAuth({ resource: resourceDocument, server: () => '{' });
    expect((await start({ endpoint: broken.endpoint })).messages.join()).toContain(
      `well-known URLs: ${broken.origin}/.well-known/oauth-authorization-server answers with no JSON object`,
    );
    const nameless = await serveOAuth({
      resource: resourceDocument,
      server: (origin) => serverDocument(origin, { issuer: undefined }),
    });
    expect((await start({ endpoint: nameless.endpoint })).messages.join()).toContain(
      'has no `issuer` that is a string',
    );
  });

  it('a relative URL of the metadata', async () => {
    const { endpoint } = await serveOAuth({ challenge: () => 'Bearer resource_metadata="/meta"' });
    expect((await start({ endpoint })).messages.join()).toContain('AUTH-007 oauth.resource: The 401 points to /meta');
  });
});
