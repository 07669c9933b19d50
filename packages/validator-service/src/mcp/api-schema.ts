import { layerNames } from '@schemakit/validator';

type Json = Readonly<Record<string, unknown>>;

/** This service's own API as a schema (docs/format.md), from which its MCP server is made. */
export function apiSchema(root: string): Json {
  return {
    namespace: 'validator',
    name: 'SchemaKit validator',
    description: 'Tells what an endpoint really offers: MCP, A2A, payment, OAuth, MCP Apps, HTTP, HTML and ERC-8004.',
    version: '3.0.0',
    root,
    requiredServerParams: ['API_TOKEN'],
    requiredLibraries: [],
    headers: { Authorization: 'Bearer {{API_TOKEN}}' },
    tools: {
      assess: post('/api/assess', {
        title: 'Assess an endpoint',
        // It adds a report.
        readOnlyHint: false,
        description:
          'Checks an endpoint in eight layers and keeps the report. `grade` says how good it is and what to mend first, `findings` have what to do.',
        parameters: [
          ...target,
          input('layers', 'array()', 'optional()', `describe(Only these layers: ${layerNames.join(' ')})`),
          input('erc8004', 'object()', 'optional()', 'describe({ agentId chainId rpcNodes } of an agent on a chain)'),
          input('headers', 'object()', 'optional()', 'describe(Headers for a private endpoint. Never stored)'),
        ],
      }),
      validate: post('/api/validate', {
        title: 'Validate MCP, A2A, MCP Apps and OAuth',
        description: 'Says in short whether an endpoint speaks MCP and A2A, has MCP Apps and announces OAuth.',
        parameters: target,
      }),
      lookupAgent: post('/api/lookup', {
        title: 'Look up an agent (ERC-8004)',
        description: 'Reads registration, endpoints, classification and reputation of an agent from its chain.',
        parameters: [
          input('agentId', 'number()', 'min(0)', 'describe(The id in the registry)'),
          input('chainId', 'string()', 'describe(Such as 8453 or eip155:8453 or BASE_MAINNET)'),
          input('rpcNodes', 'object()', 'optional()', 'describe(URLs of nodes by alias of a chain)'),
        ],
      }),
      compare: post('/api/compare', {
        title: 'Compare two reports',
        description: 'Says what changed between two kept reports.',
        parameters: [
          input('before', 'string()', 'describe(The id of the earlier report)'),
          input('after', 'string()', 'describe(The id of the later report)'),
        ],
      }),
      getReport: get('/api/reports/{{id}}', 'Get a kept report', 'Gets a kept report by its id.'),
      getSarif: get('/api/reports/{{id}}/sarif', 'Get a report as SARIF', 'Gets a kept report as SARIF 2.1.0.'),
    },
  };
}

function input(key: string, primitive: string, ...options: string[]): Json {
  return parameter(key, 'body', primitive, options);
}

function parameter(key: string, location: 'body' | 'insert', primitive: string, options: readonly string[]): Json {
  return { position: { key, value: '{{USER_PARAM}}', location }, z: { primitive, options } };
}

const target = [
  input('url', 'string()', 'describe(Such as https://example.com/mcp)'),
  input('timeout', 'number()', 'min(1)', 'max(60000)', 'optional()', 'describe(In milliseconds. Default 15000)'),
];

const output = { mimeType: 'application/json', schema: { type: 'object' } };

function post(
  path: string,
  {
    title,
    readOnlyHint = true,
    ...tool
  }: { title: string; readOnlyHint?: boolean; description: string; parameters: readonly Json[] },
): Json {
  return {
    method: 'POST',
    path,
    ...tool,
    annotations: { title, readOnlyHint, destructiveHint: false },
    output,
    tests: [],
  };
}

function get(path: string, title: string, description: string): Json {
  const parameters = [parameter('id', 'insert', 'string()', ['describe(The reportId)'])];
  return { method: 'GET', path, description, parameters, annotations: { title }, output, tests: [] };
}
