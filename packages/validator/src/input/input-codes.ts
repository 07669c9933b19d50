import { because, type CodeEntry } from '../findings/code-table.ts';

export type InputCode =
  `VAL-${'001' | '002' | '003' | '004' | '005' | '006' | '010' | '011' | '012' | '013' | '014' | '015'}`;

const GIVE_ENDPOINT = 'Pass the URL of the MCP server, such as `https://example.com/mcp`.';
const GIVE_SNAPSHOT = 'Pass the result of `start`, or its JSON.';

/** What `start` and `compare` were given. */
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
  ...because('Changes can only be told between two whole results.', 'docs/validator.md#compare', {
    'VAL-010': ['ERROR', 'The snapshot `before` is missing.', GIVE_SNAPSHOT],
    'VAL-011': ['ERROR', 'The snapshot `before` is not an object of plain JSON.', GIVE_SNAPSHOT],
    'VAL-012': ['ERROR', 'The snapshot `before` has no `categories` or no `entries`.', GIVE_SNAPSHOT],
    'VAL-013': ['ERROR', 'The snapshot `after` is missing.', GIVE_SNAPSHOT],
    'VAL-014': ['ERROR', 'The snapshot `after` is not an object of plain JSON.', GIVE_SNAPSHOT],
    'VAL-015': ['ERROR', 'The snapshot `after` has no `categories` or no `entries`.', GIVE_SNAPSHOT],
  }),
};
