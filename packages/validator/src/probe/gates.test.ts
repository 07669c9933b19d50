import { describe, expect, it } from 'vitest';
import { evmOption, gatedResult, required, requiredV1 } from '../../fixtures/payments.ts';
import { send, sendRpc, serveScript } from '../../fixtures/scripted-server.ts';
import { type Offer, plainTool, serveSdk1, serveSdk2, serveSse } from '../../fixtures/sdk-servers.ts';
import { start } from '../start.ts';
import { probeFindings } from './probe-findings.ts';
import { type Outcome, toolsThatMayWrite } from './probe-tools.ts';

type Json = Record<string, unknown>;

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const text = (value: unknown): Json[] => [{ type: 'text', text: JSON.stringify(value) }];

/** Every form of payment requirement in a result or an error, with its code. */
const ways: readonly (readonly [name: string, code: string, answer: Json])[] = [
  ['structured content', 'PRB-007', gatedResult(required())],
  ['text alone', 'PRB-007', { isError: true, content: text(required()) }],
  ['metadata', 'PRB-009', { isError: true, content: [], _meta: { 'x402/error': required() } }],
  ['wrapped text', 'PRB-009', { isError: true, content: text({ 'x402/error': { code: 402, data: required() } }) }],
  [
    'base64 in structured content',
    'PRB-009',
    { content: [], structuredContent: { paymentRequired: base64(required()) } },
  ],
  ['status in structured content', 'PRB-009', { content: [], structuredContent: { status: 402, ...required() } }],
  ['structured content that is no error', 'PRB-009', { content: [], structuredContent: required() }],
  ['wrapped text that is no error', 'PRB-009', { content: text({ paymentRequired: required() }) }],
  ['another JSON-RPC error', 'PRB-006', { rpcError: { code: -32000, message: 'Pay', data: required() } }],
  ['JSON-RPC error -32402', 'PRB-006', { rpcError: { code: -32402, message: 'Payment required', data: required() } }],
  ['JSON-RPC error 402', 'PRB-006', { rpcError: { code: 402, message: 'Payment required', data: required() } }],
];

const peers: readonly (readonly [name: string, serve: (offer: Offer) => ReturnType<typeof serveSdk1>])[] = [
  ['the second SDK, new generation', (offer) => serveSdk2(offer, { legacy: 'reject' })],
  ['the first SDK', (offer) => serveSdk1(offer)],
  ['the first SDK with sessions', (offer) => serveSdk1(offer, { sessions: true })],
  ['the first SDK over HTTP+SSE', (offer) => serveSse(offer)],
];

describe.each(peers)('a tool on a server of %s', (_, serve) => {
  it.each(ways)('that requires payment by %s is seen', async (_way, code, answer) => {
    const { endpoint } = await serve({
      tools: [plainTool, { ...plainTool, name: 'paid' }],
      call: (name) => (name === 'paid' ? answer : { content: [] }),
    });
    const { findings, categories, entries } = await start({ endpoint });
    expect(findings.map((found) => found.code)).toEqual([code]);
    expect(categories).toMatchObject({
      supportsX402: true,
      hasValidPaymentRequirements: true,
      supportsExactScheme: true,
      supportsEvm: true,
      supportsSolana: false,
    });
    expect(entries.x402).toMatchObject({ version: 2, networks: ['eip155:8453'], schemes: ['exact'] });
    expect(entries.x402.restrictedCalls).toEqual([
      { toolName: 'paid', paymentRequired: expect.objectContaining(required()) },
    ]);
    expect(entries.probe).toEqual([
      { name: 'forecast', outcome: 'free' },
      { name: 'paid', outcome: 'gated' },
    ]);
  });
});

describe('HTTP status 402', () => {
  it.each([
    ['on a call, version 2 in the header', required(), { 'payment-required': base64(required()) }, {}],
    ['on a call, version 1 in the body', requiredV1(), {}, requiredV1()],
    ['on a call, both versions of one offer', required(), { 'payment-required': base64(required()) }, requiredV1()],
    [
      'on a call, inside a JSON-RPC error',
      required(),
      {},
      { jsonrpc: '2.0', id: 1, error: { code: 402, message: '', data: required() } },
    ],
  ])('%s is read', async (_, expected, headers, body) => {
    const { endpoint } = await serveScript({
      'tools/call': ({ response }) => send(response, 402, body, headers as Record<string, string>),
    });
    const { findings, entries, categories } = await start({ endpoint });
    expect(findings.map(({ code }) => code)).toEqual(
      'x402Version' in expected && expected.x402Version === 1 ? ['PRB-008', 'PAY-013'] : ['PRB-008'],
    );
    expect(entries.x402.restrictedCalls).toEqual([{ toolName: 'one', paymentRequired: expected }]);
    expect(categories).toMatchObject({ supportsX402: true, hasValidPaymentRequirements: true, supportsEvm: true });
  });

  it('on the handshake is reported as a payment requirement of the endpoint', async () => {
    const { endpoint } = await serveScript({
      initialize: ({ response }) => send(response, 402, {}, { 'payment-required': base64(required()) }),
    });
    const { status, findings, entries, categories } = await start({ endpoint });
    expect(findings.map(({ code }) => code)).toEqual(['CON-006']);
    expect([status, categories.supportsMcp, categories.supportsX402, categories.hasValidPaymentRequirements]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(Object.keys(entries.x402.perTool)).toEqual(['(endpoint)']);
  });
});

it('a list of tools that requires payment is a payment requirement of the endpoint', async () => {
  const { endpoint } = await serveScript({
    'tools/list': ({ response, id }) =>
      sendRpc(response, { id, error: { code: 402, message: 'Pay', data: required() } }),
  });
  const { findings, categories, entries } = await start({ endpoint });
  expect(findings.map(({ code }) => code)).toContain('PRB-006');
  expect(categories.supportsX402).toBe(true);
  expect(entries.x402.restrictedCalls).toEqual([{ toolName: '(endpoint)', paymentRequired: required() }]);
});

describe('not a payment', () => {
  it.each<[name: string, answer: Json, outcome: string]>([
    ['a free result that shows requirements', { content: text(required()) }, 'free'],
    ['an error of the tool', { isError: true, content: [{ type: 'text', text: 'No such city' }] }, 'error'],
    ['refused arguments', { rpcError: { code: -32602, message: 'Invalid arguments' } }, 'arguments-refused'],
    ['another error', { rpcError: { code: -32000, message: 'Out of order' } }, 'failed'],
    [
      'a challenge of another protocol',
      { rpcError: { code: -32042, message: 'Pay', data: { challenges: [] } } },
      'error',
    ],
  ])('%s', async (_, answer, outcome) => {
    const { endpoint } = await serveSdk1({ call: () => answer });
    const { categories, entries } = await start({ endpoint });
    expect(categories.supportsX402).toBe(false);
    expect(entries.probe).toEqual([{ name: 'forecast', outcome }]);
  });
});

describe('the probe', () => {
  const tools = [
    plainTool,
    { ...plainTool, name: 'read', annotations: { readOnlyHint: true } },
    { ...plainTool, name: 'erase', annotations: { destructiveHint: true } },
  ];

  it.each([
    ['all', ['forecast', 'read']],
    ['safe', ['read']],
    ['none', []],
  ] as const)('calls in mode %s %j', async (probe, expected) => {
    const called: string[] = [];
    const { endpoint } = await serveSdk2({ tools, call: (name) => ({ content: [], _meta: { n: called.push(name) } }) });
    const { status, entries } = await start({ endpoint, probe });
    expect(called.sort()).toEqual([...expected]);
    expect(status).toBe(true);
    expect(entries.probe.filter(({ outcome }) => outcome === 'free').map(({ name }) => name)).toEqual([...expected]);
  });

  it.each([
    [{ destructiveHint: true, readOnlyHint: true }],
    [{ destructiveHint: 'true', readOnlyHint: true }],
    [{ destructiveHint: 1 }],
  ])('calls no tool that declares %j', async (annotations) => {
    const called: string[] = [];
    const { endpoint } = await serveScript({
      'tools/list': { tools: [{ ...plainTool, annotations }] },
      'tools/call': ({ response, id, params }) => {
        called.push(String(params.name));
        sendRpc(response, { id, result: { content: [] } });
      },
    });
    for (const probe of ['all', 'safe'] as const) {
      expect((await start({ endpoint, probe })).entries.probe).toEqual([{ name: 'forecast', outcome: 'skipped' }]);
    }
    expect(called).toEqual([]);
  });

  it('says which tools may write', () => {
    const contradictory = { ...plainTool, name: 'drop', annotations: { destructiveHint: true, readOnlyHint: true } };
    const claimed = { ...plainTool, name: 'read', annotations: {} };
    expect(toolsThatMayWrite([...tools, contradictory])).toEqual(['forecast']);
    expect(toolsThatMayWrite([...tools, claimed])).toEqual(['forecast', 'read']);
    expect(toolsThatMayWrite([])).toEqual([]);
  });

  it('reports that no tool gave a result', async () => {
    const { endpoint } = await serveSdk2({
      call: () => ({ isError: true, content: [{ type: 'text', text: 'down' }] }),
    });
    expect((await start({ endpoint })).messages.join()).toContain('PRB-004 tools: No tool gave a result');
  });

  it('reports tools without a clear answer, even if others answered', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string', not: {} } }, required: ['a'] };
    const tools = ['picky', 'down', 'free'].map((name) => ({ ...plainTool, name }));
    const { endpoint } = await serveScript({
      'tools/list': { tools: [...tools, { ...plainTool, name: 'unknowable', inputSchema }] },
      'tools/call': ({ response, id, params }) => {
        if (params.name === 'picky' || params.name === 'unknowable')
          sendRpc(response, { id, error: { code: -32602, message: 'Invalid arguments' } });
        else sendRpc(response, { id, result: { content: [], ...(params.name === 'down' && { isError: true }) } });
      },
    });
    const { messages, status } = await start({ endpoint });
    expect(status).toBe(true);
    expect(messages).toEqual([
      'PRB-004 tools: Refused the arguments, so a payment requirement after that check stays unknown: `picky`',
      'PRB-004 tools: No valid arguments were found for the input schema, and others gave no result: `unknowable`',
      'PRB-004 tools: Answered with an error: `down`',
    ]);
  });

  it('respects its limits', async () => {
    let open = 0;
    let most = 0;
    const three = Promise.withResolvers<void>();
    const many = Array.from({ length: 30 }, (_, index) => ({ ...plainTool, name: `tool${index}` }));
    const { endpoint } = await serveSdk2({
      tools: many,
      call: async () => {
        most = Math.max(most, ++open);
        if (open === 3) three.resolve();
        await three.promise;
        // There is time for a fourth.
        await new Promise((resolve) => setTimeout(resolve, 5));
        open--;
        return { content: [] };
      },
    });
    const { entries } = await start({ endpoint, probeLimits: { maxCalls: 10, concurrency: 3 } });
    expect(most).toBe(3);
    expect(entries.probe.filter(({ outcome }) => outcome === 'free')).toHaveLength(10);
  });

  it('sends arguments that pass a check before the payment requirement', async () => {
    const inputSchema = {
      type: 'object',
      required: ['city', 'when', 'unit', 'days'],
      properties: {
        city: { type: 'string', minLength: 6 },
        when: { type: 'string', format: 'date' },
        unit: { enum: ['C', 'F'] },
        days: { type: 'integer', minimum: 3 },
      },
    };
    let seen: Json = {};
    const { endpoint } = await serveSdk1({
      tools: [{ ...plainTool, inputSchema }],
      call: (_, args) => {
        seen = args;
        return gatedResult(required({ accepts: [evmOption(), evmOption({ network: 'eip155:84532' })] }));
      },
    });
    const { entries } = await start({ endpoint });
    expect(seen).toEqual({ city: 'testaa', when: '2024-01-01', unit: 'C', days: 3 });
    expect(entries.x402.networks).toEqual(['eip155:8453', 'eip155:84532']);
  });
});

it('a run that timed out before any call has status false', () => {
  const tools = [plainTool, { ...plainTool, name: 'erase' }];
  const found = (outcomes: readonly Outcome[]) =>
    probeFindings(
      outcomes.map((outcome, index) => ({ name: String(tools[index]?.name), outcome })),
      tools,
    ).filter(({ code }) => code === 'PRB-013');
  expect(found(['not-called', 'skipped']).map(({ severity }) => severity)).toEqual(['ERROR']);
  expect(found(['not-called', 'free']).map(({ severity }) => severity)).toEqual(['INFO']);
});
