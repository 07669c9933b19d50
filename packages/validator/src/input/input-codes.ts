import { because, type CodeEntry } from '../findings/code-table.ts';

export type InputCode =
  | `VAL-${'001' | '002' | '003' | '004' | '005' | '006' | '010' | '011' | '012' | '013' | '014' | '015'}`
  | `ASM-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '010' | '012' | '013' | '014' | '015' | '016' | '017' | '018' | '020' | '021' | '022' | '023' | '024' | '025' | '026'}`;

const GIVE_ENDPOINT = 'Pass the URL of the MCP server, such as `https://example.com/mcp`.';
const GIVE_URL = 'Pass the URL of the endpoint, such as `https://example.com/mcp`.';
const GIVE_ASSESSMENT = 'Pass the result of `assess`, or its JSON.';
const GIVE_SNAPSHOT = 'Pass the result of `start`, or its JSON.';

/** What `start`, `assess` and the comparisons were given. */
export const inputCodes: Readonly<Record<InputCode, CodeEntry>> = {
  ...because('Without a usable URL there is no server to inspect.', 'docs/validator.md#start', {
    'VAL-001': ['ERROR', 'The endpoint is missing.', GIVE_ENDPOINT],
    'VAL-002': ['ERROR', 'The endpoint is not a string.', GIVE_ENDPOINT],
    'VAL-003': ['ERROR', 'The endpoint is empty.', GIVE_ENDPOINT],
    'VAL-004': [
      'ERROR',
      'The endpoint is not an `http:` or `https:` URL without user name and password.',
      GIVE_ENDPOINT,
    ],
  }),
  ...because(
    'A setting that is guessed at could call tools, or reach hosts, that you meant to exclude.',
    'docs/validator.md#start',
    {
      'VAL-005': ['ERROR', 'An option has the wrong type; a warning if it is unknown.', 'See the type of the option.'],
      'VAL-006': ['ERROR', 'A number is not greater than 0.', 'Pass `timeout` in milliseconds, such as 10000.'],
    },
  ),
  ...because('A good mark without evidence would say nothing about the endpoint.', 'docs/validator.md#assess', {
    'ASM-026': [
      'ERROR',
      'The endpoint was not reached, nothing but an HTTP server was found at it, or the assessment was aborted.',
      'Check the URL, above all its path. See why each layer was not detected or not evaluated.',
    ],
  }),
  ...because('Changes can only be told between two whole results.', 'docs/validator.md#compare', {
    'VAL-010': ['ERROR', 'The snapshot `before` is missing.', GIVE_SNAPSHOT],
    'VAL-011': ['ERROR', 'The snapshot `before` is not an object of plain JSON.', GIVE_SNAPSHOT],
    'VAL-012': ['ERROR', 'The snapshot `before` has no `categories` or no `entries`.', GIVE_SNAPSHOT],
    'VAL-013': ['ERROR', 'The snapshot `after` is missing.', GIVE_SNAPSHOT],
    'VAL-014': ['ERROR', 'The snapshot `after` is not an object of plain JSON.', GIVE_SNAPSHOT],
    'VAL-015': ['ERROR', 'The snapshot `after` has no `categories` or no `entries`.', GIVE_SNAPSHOT],
  }),
  ...because('Without a usable URL there is no endpoint to assess.', 'docs/validator.md#assess', {
    'ASM-001': ['ERROR', 'The URL is missing.', GIVE_URL],
    'ASM-002': ['ERROR', 'The URL is not a string.', GIVE_URL],
    'ASM-003': ['ERROR', 'The URL is empty.', GIVE_URL],
    'ASM-004': ['ERROR', 'The URL is not an `http:` or `https:` URL without user name and password.', GIVE_URL],
  }),
  ...because(
    'A setting that is guessed at could call tools, or reach hosts, that you meant to exclude.',
    'docs/validator.md#assess',
    {
      'ASM-005': ['ERROR', '`timeout` is not a number.', 'Pass `timeout` in milliseconds, such as 15000.'],
      'ASM-006': ['ERROR', 'A number is not greater than 0.', 'Pass `timeout` in milliseconds, such as 15000.'],
      'ASM-007': [
        'ERROR',
        'Another option has the wrong type; a warning if it is unknown.',
        'See the type of the option.',
      ],
    },
  ),
  ...because('Without it, the agent cannot be read from its chain.', 'docs/validator.md#lookupagent', {
    'ASM-010': ['ERROR', '`erc8004` is not an object.', 'Pass `{ rpcNodes, agentId, chainId }`; each is optional.'],
    'ASM-012': ['ERROR', '`rpcNodes` is not an object.', 'Pass URLs by chain: `{ BASE_MAINNET: url }`.'],
    'ASM-013': ['ERROR', '`rpcNodes` is empty.', 'Pass URLs by chain: `{ BASE_MAINNET: url }`.'],
    'ASM-014': ['ERROR', 'An alias in `rpcNodes` is blank.', 'Name the chain, such as `BASE_MAINNET`.'],
    'ASM-015': ['ERROR', 'A chain in `rpcNodes` has no URL.', 'Pass the URL of a node, or an array of them.'],
    'ASM-016': ['ERROR', 'A node in `rpcNodes` is not an `http:` or `https:` URL.', 'Pass the URL of a node.'],
    'ASM-017': ['ERROR', '`agentId` is not a whole number from 0 on.', 'Pass the id of the agent as a number.'],
    'ASM-018': ['ERROR', '`chainId` is not the id of a chain.', 'Pass a number, `eip155:<number>` or an alias.'],
  }),
  ...because('A good mark without evidence would say nothing about the endpoint.', 'docs/validator.md#assess', {
    'ASM-026': [
      'ERROR',
      'The endpoint was not reached, or nothing but an HTTP server was found at it.',
      'Check the URL, above all its path. See why each layer was not detected or not evaluated.',
    ],
  }),
  ...because('Changes can only be told between two whole results.', 'docs/validator.md#compareassessments', {
    'ASM-020': ['ERROR', 'The assessment `before` is missing.', GIVE_ASSESSMENT],
    'ASM-021': ['ERROR', 'The assessment `before` is not an object of plain JSON.', GIVE_ASSESSMENT],
    'ASM-022': ['ERROR', 'The assessment `before` lacks `categories`, `entries` or `layers`.', GIVE_ASSESSMENT],
    'ASM-023': ['ERROR', 'The assessment `after` is missing.', GIVE_ASSESSMENT],
    'ASM-024': ['ERROR', 'The assessment `after` is not an object of plain JSON.', GIVE_ASSESSMENT],
    'ASM-025': ['ERROR', 'The assessment `after` lacks `categories`, `entries` or `layers`.', GIVE_ASSESSMENT],
  }),
};
