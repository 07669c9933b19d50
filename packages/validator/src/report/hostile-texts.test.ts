import { expect, test } from 'vitest';
import { serveCard } from '../../fixtures/card-site.ts';
import type { Loopback } from '../../fixtures/loopback.ts';
import { required } from '../../fixtures/payments.ts';
import { type Script, send, sendRpc, serveScript } from '../../fixtures/scripted-server.ts';
import { serveSkills, skillEntry } from '../../fixtures/skill-servers.ts';
import { assess } from '../assess/assess.ts';
import { compareAssessments } from '../assess/compare-assessments.ts';
import { toHtml } from './to-html.ts';
import { toSarif } from './to-sarif.ts';
import { toText } from './to-text.ts';

/** Clears a terminal, turns the direction of a text, hides letters, and opens elements in texts and attributes. */
const evil = '\u001b[2J\u009b2J\u202e\u200b\u2028"\'><script>alert(1)</script><img src=x onerror=alert(1)>';
const schema = { type: 'object', properties: { [evil]: { type: 'string' } }, $ref: `#/$defs/${evil}` };
const evilTool = { name: evil, title: evil, description: evil, inputSchema: schema, annotations: { title: evil } };
const paid = required({
  error: evil,
  accepts: [{ scheme: evil, network: evil, amount: evil, asset: evil, payTo: evil }],
});
const ui = { resourceUri: `ui://${evil}`, visibility: [evil], csp: evil };
const app = {
  uri: `ui://${evil}`,
  mimeType: evil,
  text: `<html>${evil}`,
  _meta: { ui: { csp: { connectDomains: [evil] }, permissions: [evil] } },
};
const named = { name: evil, version: evil, title: evil, description: evil };
const skills = { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {}, [evil]: {} } };

const script = (given: Script) => () => serveScript(given);
const pages =
  (documents: Record<string, unknown>): Serve =>
  () =>
    serveScript({}, ({ method, url = '' }, response) => {
      const document = method === 'GET' ? documents[url] : undefined;
      if (document === undefined) return false;
      const type = typeof document === 'string' ? 'text/html' : 'application/json';
      send(response, 200, document, { 'content-type': type });
      return true;
    });

type Serve = () => Promise<Loopback>;

/** Peers that put the text into each field that they have. */
const peers: [fields: string, serve: Serve][] = [
  [
    'the greeting',
    script({
      initialize: { protocolVersion: '2025-11-25', capabilities: skills, serverInfo: named, instructions: evil },
    }),
  ],
  ['a tool', script({ 'tools/list': { tools: [evilTool, { ...evilTool, name: `${evil}2` }] } })],
  [
    'the error of a list',
    script({ 'tools/list': ({ response, id }) => sendRpc(response, { id, error: { code: -1, message: evil } }) }),
  ],
  ['a refusal', script({ 'tools/list': ({ response }) => send(response, 500, evil) })],
  ['the result of a tool', script({ 'tools/call': { isError: true, content: [{ type: 'text', text: evil }] } })],
  [
    'a payment',
    script({
      'tools/call': { isError: true, structuredContent: paid, content: [{ type: 'text', text: JSON.stringify(paid) }] },
    }),
  ],
  [
    'resources and prompts',
    script({
      capabilities: { tools: {}, resources: {}, prompts: {} },
      'resources/list': { resources: [{ ...named, uri: evil }] },
      'prompts/list': { prompts: [named] },
    }),
  ],
  [
    'an app',
    script({
      capabilities: { tools: {}, resources: {} },
      'tools/list': { tools: [{ ...evilTool, _meta: { ui } }] },
      'resources/list': { resources: [{ ...named, uri: app.uri }] },
      'resources/read': { contents: [app] },
    }),
  ],
  [
    'a skill',
    () => serveSkills({ entry: skillEntry({ uri: `skill://${evil}/SKILL.md`, frontmatter: named }), text: evil }),
  ],
  [
    'a Server Card',
    () =>
      serveCard({
        card: { ...named, remotes: [{ type: evil, url: evil, headers: [{ name: evil, isRequired: true }] }] },
        versions: [evil],
      }),
  ],
  [
    'an AI Catalog',
    () =>
      serveCard({ card: null, catalog: { entries: [{ type: 'application/mcp-server-card+json', url: `/${evil}` }] } }),
  ],
  [
    'a page',
    pages({
      '/mcp': `<html lang='${evil}'><title>${evil}</title><meta name=description content="${evil.replaceAll('"', '')}">`,
    }),
  ],
  [
    'an agent card',
    pages({
      '/.well-known/agent-card.json': {
        ...named,
        url: evil,
        supportedInterfaces: [{ url: evil, protocolBinding: evil, protocolVersion: evil }],
        provider: { organization: evil, url: evil },
        skills: [{ ...named, id: evil, tags: [evil] }],
        capabilities: { extensions: [{ uri: evil }] },
      },
    }),
  ],
  [
    'a registration',
    pages({
      '/.well-known/agent-registration.json': { ...named, registrations: [{ agentId: evil, agentRegistry: evil }] },
    }),
  ],
  [
    'OAuth metadata',
    pages({
      '/.well-known/oauth-protected-resource': {
        resource: evil,
        authorization_servers: [evil],
        scopes_supported: [evil],
      },
    }),
  ],
  [
    'a challenge',
    () =>
      serveScript({}, ({ method }, response) => {
        const header = `Bearer resource_metadata="<script>", scope="\u009b2J <script>"`;
        if (method === 'POST') send(response, 401, evil, { 'www-authenticate': header, server: '<script>\u009b2J' });
        return method === 'POST';
      }),
  ],
  [
    'a redirect',
    () =>
      serveScript({}, (_, response) => {
        response.writeHead(302, { location: '/<script>?a="><script>&\u009b' }).end(evil);
        return true;
      }),
  ],
];

/** What a terminal obeys, or readers do not see; line ends are those of the report. */
const UNSAFE = /[\p{Cc}--\n]|[\u202e\u200b\u2028]/v;

test.each(peers)('reports of an assessment show the text of a peer in %s, and do not obey it', async (_, serve) => {
  const plain = await assess({ url: (await serveScript({})).endpoint, timeout: 6000 });
  const result = await assess({ url: (await serve()).endpoint, timeout: 6000 });
  const comparison = compareAssessments({ before: plain, after: result });
  expect(JSON.stringify(result)).toContain('script>');
  expect(toText(result, { comparison })).not.toMatch(UNSAFE);
  const html = toHtml(result, { comparison });
  expect(html).not.toMatch(UNSAFE);
  expect(html).not.toMatch(/<(?:script|img)/);
  expect(html).not.toMatch(/<[^>]*\sonerror/);
  const sarif: string[] = [];
  JSON.stringify(toSarif(result, { comparison }), (_key, value: unknown) => {
    if (typeof value === 'string') sarif.push(value);
    return value;
  });
  expect(sarif.filter((text) => UNSAFE.test(text))).toEqual([]);
});
