import type { AssessOptions } from '@schemakit/validator';
import { describe, expect, it } from 'vitest';
import { type Loopback, listen } from '../../../validator/fixtures/loopback.ts';
import { resourceDocument, serveOAuth, serverDocument } from '../../../validator/fixtures/oauth-site.ts';
import { send, serveScript } from '../../../validator/fixtures/scripted-server.ts';
import { oddAddresses, privateHosts } from '../../fixtures/private-targets.ts';
import { type Answer, eventsOf, serve, type TestService } from '../../fixtures/service.ts';

/** What must never be asked. */
const canary = (): Promise<Loopback> => listen((_, response) => send(response, 200, { secret: 'of the network' }));

type Lookup = NonNullable<AssessOptions['lookup']>;

/** A resolver that answers with these addresses. */
const resolver = (addressesOf: (name: string) => string[]): Lookup =>
  ((name: string, _: unknown, callback: (error: Error | null, found: object[]) => void) => {
    const found = addressesOf(name).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    callback(found.length === 0 ? Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }) : null, found);
  }) as Lookup;

const names: Record<string, string> = {
  localhost: '127.0.0.1',
  'localtest.example': '127.0.0.1',
  'metadata.example': '169.254.169.254',
  'internal.example': '10.0.0.1',
  [new URL('http://ÏNTERNAL.example').hostname]: '::1',
};
const lookup = resolver((name) =>
  Object.entries(names).flatMap(([end, address]) => (name.replace(/\.$/, '').endsWith(end) ? address : [])),
);

async function publicService(): Promise<TestService & { port: string; spelled: string[]; requests: string[] }> {
  const { origin, requests } = await canary();
  const { port } = new URL(origin);
  const spelled = [...privateHosts.map((host) => `http://${host}:${port}/`), ...oddAddresses(port)];
  return { ...(await serve({ allowPrivateTargets: false, maxRunning: 20, lookup })), port, spelled, requests };
}

/** A private target is an answer with status false; what is no http address is refused. */
function isRefused({ status, json }: Pick<Answer, 'status' | 'json'>, code: string): boolean {
  if (status === 400) return json.findings.every((finding: { code: string }) => finding.code === 'ASM-004');
  const { messages } = json as { messages: string[] };
  return status === 200 && json.status === false && messages.some((message) => message.startsWith(code));
}

describe('a service for everybody does not ask private targets', () => {
  it('assess, in each spelling', { timeout: 120_000 }, async () => {
    const { post, spelled, requests } = await publicService();
    expect(spelled.length).toBeGreaterThan(60);
    const answers = await Promise.all(
      spelled.map(async (url) => [url, await post('/api/assess', { url, timeout: 20_000 })] as const),
    );
    for (const [url, answer] of answers)
      expect({ url, isRefused: isRefused(answer, 'CON-002') }).toEqual({ url, isRefused: true });
    expect(requests).toEqual([]);
  });

  it('the stream, in each spelling', { timeout: 120_000 }, async () => {
    const { url, spelled, requests } = await publicService();
    const lasts = await Promise.all(
      spelled.map(async (target) => {
        const path = `/api/assess/stream?timeout=20000&url=${encodeURIComponent(target)}`;
        const events = await Array.fromAsync(eventsOf(await fetch(new URL(path, url))));
        return [target, events.at(-1)] as const;
      }),
    );
    for (const [target, last] of lasts) {
      const answer = { status: last?.name === 'end' ? 200 : last?.data.status, json: last?.data };
      expect({ target, isRefused: isRefused(answer, 'CON-002') }).toEqual({ target, isRefused: true });
    }
    expect(requests).toEqual([]);
  });

  it('validate and the plain form', async () => {
    const { post, request, port, requests } = await publicService();
    const { json } = await post('/api/validate', { url: `http://127.1:${port}/` });
    expect(json).toMatchObject({ mcp: { status: false, messages: [expect.stringMatching(/^CON-002/)] } });
    const { status } = await request('/check', {
      method: 'POST',
      body: new URLSearchParams({ url: `http://[::1]:${port}` }),
    });
    expect(status).toBe(303);
    expect(requests).toEqual([]);
  });

  it('nodes of chains and gateways, in each spelling', { timeout: 120_000 }, async () => {
    const { post, spelled, requests } = await publicService();
    const answers = await Promise.all(
      spelled.map(async (node) => {
        const nodes = { rpcNodes: { BASE_MAINNET: node }, ipfsGateways: ['http://127.0.0.1'] };
        const agent = { agentId: 1, chainId: 8453 };
        return [
          node,
          await post('/api/lookup', { ...agent, ...nodes }),
          await post('/api/assess', { url: 'http://127.1', layers: ['erc8004'], erc8004: { ...agent, ...nodes } }),
        ] as const;
      }),
    );
    for (const [node, found, assessed] of answers) {
      expect({ node, isFound: found.json.status === true }).toEqual({ node, isFound: false });
      expect({ node, isFound: assessed.json.status === true }).toEqual({ node, isFound: false });
    }
    expect(requests).toEqual([]);
  });

  it('a name that is public when it is checked and private when it is asked (DNS rebinding)', async () => {
    const { origin, requests } = await canary();
    const { port } = new URL(origin);
    let calls = 0;
    const rebinding = resolver(() => {
      calls += 1;
      return [calls === 1 ? '1.1.1.1' : '127.0.0.1'];
    });
    const { post } = await serve({ allowPrivateTargets: false, lookup: rebinding });
    for (let round = 0; round < 3; round++) {
      const { json } = await post('/api/assess', { url: `http://rebind.example:${port}/`, timeout: 3000 });
      expect(json.status).toBe(false);
    }
    const both = resolver(() => ['1.1.1.1', '127.0.0.1']);
    const { post: ask } = await serve({ allowPrivateTargets: false, lookup: both });
    expect((await ask('/api/assess', { url: `http://both.example:${port}/`, timeout: 3000 })).json.status).toBe(false);
    expect(calls).toBeGreaterThan(3);
    expect(requests).toEqual([]);
  });
});

describe('where this machine may be checked, what a target names is still guarded, in each spelling:', () => {
  /** Checks a target for each spelling of the canary's address, which it names. */
  const check = async (layers: string[], make: (inner: string) => Promise<Loopback>): Promise<void> => {
    const { origin, requests } = await canary();
    const { port } = new URL(origin);
    const { post } = await serve({ maxRunning: 20, lookup });
    await Promise.all(
      privateHosts.map(async (host) => {
        const { endpoint, requests: asked } = await make(`http://${host}:${port}`);
        expect((await post('/api/assess', { url: endpoint, layers, timeout: 20_000 })).status).toBe(200);
        expect(asked).not.toEqual([]);
      }),
    );
    expect(requests).toEqual([]);
  };

  it.each([302, 307])('redirects (%i)', { timeout: 120_000 }, (status) =>
    check(['http', 'html', 'mcp'], (inner) =>
      listen((_, response) => void response.writeHead(status, { location: asHeader(inner) }).end()),
    ),
  );

  it('agent cards', { timeout: 120_000 }, () =>
    check(['a2a', 'erc8004'], (inner) =>
      listen(({ url = '' }, response) => {
        const card = {
          ...{ name: 'x', description: 'x', version: '1', capabilities: {}, skills: [] },
          ...{ url: `${inner}/a2a`, preferredTransport: 'JSONRPC', documentationUrl: `${inner}/docs` },
          ...{ iconUrl: `${inner}/icon`, defaultInputModes: [], defaultOutputModes: [] },
          supportedInterfaces: [{ url: `${inner}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          securitySchemes: { o: { openIdConnectSecurityScheme: { openIdConnectUrl: `${inner}/openid` } } },
          services: [{ name: 'ERC-8004', endpoint: `${inner}/erc` }],
        };
        if (url.includes('agent-card')) send(response, 200, card);
        else send(response, 404, {});
      }),
    ),
  );

  it('OAuth metadata', { timeout: 120_000 }, () =>
    check(['oauth'], (inner) =>
      serveOAuth({
        resource: (origin) => resourceDocument(origin, { authorization_servers: [inner, `${inner}/tenant`] }),
        server: (origin) => serverDocument(origin, { jwks_uri: `${inner}/jwks` }),
        challenge: () => `Bearer resource_metadata="${asHeader(inner)}/.well-known/oauth-protected-resource"`,
      }),
    ),
  );

  it('the address for messages of the old transport', { timeout: 120_000 }, () =>
    check(['mcp'], (inner) =>
      listen(({ method }, response) => {
        if (method !== 'GET') return void response.writeHead(405).end();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`event: endpoint\ndata: ${inner}/messages\n\n`);
      }),
    ),
  );

  it('registrations of agents', { timeout: 120_000 }, () =>
    check(['erc8004'], (inner) =>
      serveScript({}, ({ url = '' }, response) => {
        if (!url.includes('agent-registration')) return false;
        const registration = {
          type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
          ...{ name: 'x', description: 'x', image: `${inner}/image` },
          services: ['MCP', 'A2A'].map((name) => ({ name, endpoint: `${inner}/${name}` })),
          registrations: [{ agentId: 1, agentRegistry: 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432' }],
        };
        send(response, 200, registration);
        return true;
      }),
    ),
  );
});

/** Headers carry ASCII only. */
function asHeader(url: string): string {
  return /^[\x20-\x7e]*$/.test(url) ? url : new URL(url).origin;
}

it('metadata services of clouds are refused even where private targets may be checked', async () => {
  const { post } = await serve({ lookup });
  for (const host of ['169.254.169.254', '2852039166', '[fd00:ec2::254]', 'metadata.example']) {
    const { json } = await post('/api/assess', { url: `http://${host}/`, timeout: 5000 });
    expect({ host, isRefused: json.messages.some((message: string) => message.startsWith('CON-002')) }).toEqual({
      host,
      isRefused: true,
    });
  }
});
