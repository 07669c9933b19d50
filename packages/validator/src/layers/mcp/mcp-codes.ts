import { because, type CodeEntry } from '../../findings/code-table.ts';

export type McpCode =
  | `CON-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011'}`
  | `PRB-${'004' | '005' | '011' | '013'}`;

const MCP = 'https://modelcontextprotocol.io/specification/2026-07-28';
const X402_MCP = 'https://github.com/coinbase/x402/blob/main/specs/transports-v2/mcp.md';

/** Reaching the server, the handshake, the lists, and calls of tools. */
export const mcpCodes: Readonly<Record<McpCode, CodeEntry>> = {
  ...because('Clients cannot connect either.', `${MCP}/basic/transports/streamable-http`, {
    'CON-001': ['ERROR', 'The endpoint sent no HTTP response.', 'Check that the server runs, and its URL or command.'],
    'CON-002': [
      'ERROR',
      'The network policy blocks the endpoint or its redirect.',
      'Pass the final URL, or allow the origin with `privateOrigins` (`--private-origin`).',
    ],
    'CON-003': ['ERROR', 'The handshake timed out.', 'Raise `timeout`, or check what the server is waiting for.'],
    'CON-004': ['ERROR', 'The MCP handshake failed.', 'Check that the URL is the MCP endpoint.'],
    'CON-007': ['ERROR', 'The response to the handshake is too large or not MCP.', 'Check the URL.'],
  }),
  ...because(
    'What is behind the authorization was not seen, so this result says nothing about it.',
    `${MCP}/basic/authorization`,
    {
      'CON-005': ['ERROR', 'The handshake requires authorization.', 'Send credentials with `headers` (`--header`).'],
    },
  ),
  ...because('Clients decide by the list of tools whether to pay; they do not pay to see it.', X402_MCP, {
    'CON-006': ['ERROR', 'The handshake requires payment.', 'Let clients connect and list tools without payment.'],
  }),
  ...because('Clients offer a model only the tools that they can list.', `${MCP}/server/tools`, {
    'CON-008': [
      'WARNING',
      '`tools/list` failed or was incomplete.',
      'Received tools are kept; see the text for the cause.',
    ],
    'CON-009': [
      'WARNING',
      'The response to `tools/list` is not valid MCP.',
      'Send an array of tools, each with a unique name and an `inputSchema`.',
    ],
  }),
  ...because('Clients do not see what the list lacks.', `${MCP}/server`, {
    'CON-010': [
      'INFO',
      'Listing resources failed or was incomplete.',
      'Received items are kept; see the text for the cause.',
    ],
    'CON-011': [
      'INFO',
      'Listing prompts failed or was incomplete.',
      'Received items are kept; see the text for the cause.',
    ],
  }),
  ...because('Whether these tools require payment stays unknown.', `${MCP}/server/tools`, {
    'PRB-004': ['INFO', 'Tool calls failed.', 'See the text for the cause.'],
    'PRB-005': ['INFO', 'No tools to call, or none could be listed.', 'Nothing to do.'],
    'PRB-011': [
      'INFO',
      'Tools were not called because they may write, according to their annotations.',
      'Set `probe` if they may be called.',
    ],
    'PRB-013': [
      'INFO',
      'Tools were not called because a limit was reached; an error if no tool was called in time.',
      'Raise `probeLimits` or `timeout`.',
    ],
  }),
};
