// Looks at an MCP server once, by the validator (`ours`: `start`, or `assess`) or by the SDK's client (`rival`); prints time, processor time and memory.
const [side, endpoint = ''] = process.argv.slice(2);
const maxCalls = 100;
const concurrency = 4;

const looks = {
  async ours() {
    const { McpServerValidator } = await import('@schemakit/validator');
    const begin = performance.now();
    const { entries, messages } = await McpServerValidator.start({ endpoint, timeout: 60_000 });
    return {
      ms: performance.now() - begin,
      called: entries.probe.filter(({ outcome }) => outcome === 'free').length,
      messages,
    };
  },
  async assess() {
    const { assess } = await import('@schemakit/validator');
    const spent = async () => (await fetch(new URL('/spent', endpoint))).json();
    await spent();
    const begin = performance.now();
    const { layers, messages } = await assess({ url: endpoint, timeout: 60_000 });
    const ms = performance.now() - begin;
    const called = layers.mcp.entries.probe.filter(({ outcome }) => outcome === 'free').length;
    return { ms, called, messages, spent: await spent() };
  },
  async rival() {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const begin = performance.now();
    const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
    const { tools } = await client.listTools();
    const queue = tools.slice(0, maxCalls).values();
    let called = 0;
    const work = async () => {
      for (const { name } of queue) {
        await client.callTool({ name, arguments: { city: 'test', days: 1 } });
        called++;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    await client.close();
    return { ms: performance.now() - begin, called };
  },
};

const result = await looks[side]();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ ...result, cpu: userCPUTime + systemCPUTime, megabytes: maxRSS / 1024 }));
process.exit();
