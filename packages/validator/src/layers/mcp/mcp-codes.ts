import { because, type CodeEntry } from '../../findings/code-table.ts';

export type McpCode =
  | `CON-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011' | '020' | '021' | '022' | '023' | '024' | '025' | '026'}`
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
  ...because(
    'After a restart of the server, clients connect anew only if they hear that their session is unknown.',
    `${MCP}/basic/transports/streamable-http`,
    { 'CON-020': ['INFO', 'A request with an unknown session id is not answered with 404.', 'Answer HTTP 404.'] },
  ),
  ...because(
    'Clients learn only from an error that a server does not speak their version.',
    `${MCP}/basic/versioning`,
    {
      'CON-021': ['INFO', 'A request of an unknown protocol version gets a result.', 'Answer HTTP 400.'],
      'CON-026': [
        'WARNING',
        'The server lists versions whose handshake it refuses.',
        'List only the versions that it speaks.',
      ],
    },
  ),
  ...because(
    'Any website that a user opens could use a server on that user’s machine or network (DNS rebinding).',
    `${MCP}/basic/transports/streamable-http#security-warning`,
    {
      'CON-022': [
        'INFO',
        'A request of a foreign website gets a result.',
        'Answer HTTP 403 if the header `Origin` has an origin that you do not expect.',
      ],
    },
  ),
  ...because(
    'Clients ask the user to log in again only when they get a 401 that says where.',
    `${MCP}/basic/authorization`,
    {
      'CON-023': [
        'INFO',
        'An invalid token is not answered with a 401 that points to resource metadata.',
        'Answer HTTP 401 with `WWW-Authenticate: Bearer resource_metadata=…`.',
      ],
    },
  ),
  ...because('Whoever invents a token gets what yours gets.', `${MCP}/basic/authorization`, {
    'CON-024': ['WARNING', 'An invented token gets a result, like yours.', 'Check tokens, or ask for none.'],
  }),
  ...because(
    'A client that sends an outdated cursor would begin at the start without notice.',
    `${MCP}/server/utilities/pagination`,
    { 'CON-025': ['INFO', 'A list with pages accepts an invalid cursor.', 'Answer the error -32602.'] },
  ),
};
