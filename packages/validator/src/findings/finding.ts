import { plainText } from './plain-text.ts';

export interface Finding {
  code: Code;
  severity: Severity;
  /** The subject, such as `start.endpoint`, `connect` or `restrictedCalls[0].accepts[1].payTo`; without spaces. */
  location: string;
  text: string;
}

const MAX_TEXT = 600;

/** Creates a finding. `text` may contain text from servers, which is sanitized here. `severity` overrides that of the code. */
export function finding(
  code: Code,
  location: string,
  text: string,
  { severity = codes[code][0] }: { severity?: Severity } = {},
): Finding {
  return { code, severity, location: location.replaceAll(/[\s:]/g, '_'), text: plainText(text, MAX_TEXT) };
}

/** Formats a finding for `messages`: `CODE location: text`. */
export function asMessage({ code, location, text }: Finding): string {
  return `${code} ${location}: ${text}`;
}

/** Whether there is no `ERROR`. */
export function isClean(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity !== 'ERROR');
}

/** Only an `ERROR` makes `status` false. */
export type Severity = 'ERROR' | 'WARNING' | 'INFO';

/** A stable code; gaps in the numbers are unused. */
export type Code =
  | `VAL-${'001' | '002' | '003' | '004' | '005' | '006' | '010' | '011' | '012' | '013' | '014' | '015'}`
  | `CON-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011'}`
  | `PAY-${'001' | '002' | '010' | '011' | '012' | '013' | '019' | '020' | '021' | '022' | '023' | '024' | '025' | '030' | '031' | '032' | '033' | '034' | '040' | '041' | '042' | '050' | '051' | '052' | '053' | '054' | '060' | '061' | '062' | '063' | '064' | '070' | '071' | '072' | '073' | '080' | '081' | '082' | '083' | '084' | '090' | '091' | '092' | '093' | '094' | '095' | '096' | '100' | '101' | '102'}`
  | `PRB-${'004' | '005' | '006' | '007' | '008' | '009' | '010' | '011' | '012' | '013'}`
  | `AUTH-${'002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011'}`
  | `CMP-${'001' | '002' | '003'}`;

export type CodeEntry = readonly [severity: Severity, meaning: string, advice: string];

const GIVE_ENDPOINT = 'Pass the URL of the MCP server, such as `https://example.com/mcp`.';
const GIVE_SNAPSHOT = 'Pass the result of `start`, or its JSON.';

/** All codes of this package; `docs/validator-codes.md` is generated from it. */
export const codes: Readonly<Record<Code, CodeEntry>> = {
  'VAL-001': ['ERROR', 'The endpoint is missing.', GIVE_ENDPOINT],
  'VAL-002': ['ERROR', 'The endpoint is not a string.', GIVE_ENDPOINT],
  'VAL-003': ['ERROR', 'The endpoint is empty.', GIVE_ENDPOINT],
  'VAL-004': ['ERROR', 'The endpoint is not an `http:` or `https:` URL without user name and password.', GIVE_ENDPOINT],
  'VAL-005': ['ERROR', 'An option has the wrong type; a warning if it is unknown.', 'See the type of the option.'],
  'VAL-006': ['ERROR', 'A number is not greater than 0.', 'Pass `timeout` in milliseconds, such as 10000.'],
  'VAL-010': ['ERROR', 'The snapshot `before` is missing.', GIVE_SNAPSHOT],
  'VAL-011': ['ERROR', 'The snapshot `before` is not an object of plain JSON.', GIVE_SNAPSHOT],
  'VAL-012': ['ERROR', 'The snapshot `before` has no `categories` or no `entries`.', GIVE_SNAPSHOT],
  'VAL-013': ['ERROR', 'The snapshot `after` is missing.', GIVE_SNAPSHOT],
  'VAL-014': ['ERROR', 'The snapshot `after` is not an object of plain JSON.', GIVE_SNAPSHOT],
  'VAL-015': ['ERROR', 'The snapshot `after` has no `categories` or no `entries`.', GIVE_SNAPSHOT],

  'CON-001': ['ERROR', 'The endpoint sent no HTTP response.', 'Check that the server runs, and its URL or command.'],
  'CON-002': [
    'ERROR',
    'The network policy blocks the endpoint or its redirect.',
    'Pass the final URL, or allow the origin with `privateOrigins` (`--private-origin`).',
  ],
  'CON-003': ['ERROR', 'The handshake timed out.', 'Raise `timeout`, or check what the server is waiting for.'],
  'CON-004': ['ERROR', 'The MCP handshake failed.', 'Check that the URL is the MCP endpoint.'],
  'CON-005': ['ERROR', 'The handshake requires authorization.', 'Send credentials with `headers` (`--header`).'],
  'CON-006': ['ERROR', 'The handshake requires payment.', 'Let clients connect and list tools without payment.'],
  'CON-007': ['ERROR', 'The response to the handshake is too large or not MCP.', 'Check the URL.'],
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

  'PAY-001': ['ERROR', 'A tool requires payment without stating its price.', 'Send a PaymentRequired object.'],
  'PAY-002': ['ERROR', 'The payment requirement is not an object, or too large.', 'Send a PaymentRequired object.'],
  'PAY-010': ['ERROR', '`x402Version` is missing.', 'Set it to 2.'],
  'PAY-011': ['ERROR', '`x402Version` is not a number.', 'Set it to the number 2.'],
  'PAY-012': ['ERROR', '`x402Version` is neither 1 nor 2.', 'Set it to 2.'],
  'PAY-013': ['INFO', 'The requirement uses x402 version 1 and is checked by its rules.', 'Move to version 2.'],
  'PAY-019': [
    'WARNING',
    '`resource` (version 1: or `description`) is missing or does not match its version.',
    'Say what is paid for. Version 2: `{ url }`; version 1: a URL and a description in each entry of `accepts`.',
  ],
  'PAY-020': ['ERROR', '`resource` is neither a string nor an object.', 'Give `{ url }`.'],
  'PAY-021': ['ERROR', '`resource` is empty or has no `url`.', 'Give `{ url }`.'],
  'PAY-022': ['ERROR', '`resource.url` is not a string.', 'Give an absolute URL.'],
  'PAY-023': ['ERROR', '`resource.url` is not an absolute URL.', 'Give an absolute URL, such as `mcp://tool/name`.'],
  'PAY-024': ['WARNING', '`resource` has unknown fields.', 'Put extensions into `extensions`.'],
  'PAY-025': ['WARNING', '`error` is not a string.', 'Give a readable text.'],
  'PAY-030': ['ERROR', '`accepts` is missing.', 'List the payment options.'],
  'PAY-031': ['ERROR', '`accepts` is not an array of objects.', 'List the payment options.'],
  'PAY-032': ['ERROR', '`accepts` is empty.', 'List at least one payment option.'],
  'PAY-033': ['WARNING', '`extensions` is not an object.', 'Give an object, or leave it out.'],
  'PAY-034': [
    'WARNING',
    'Header and body, or `structuredContent` and text, state different requirements; INFO if only `structuredContent` has one.',
    'Send the same requirement in both.',
  ],
  'PAY-040': ['ERROR', '`scheme` is missing.', 'Set it to `exact`.'],
  'PAY-041': ['ERROR', '`scheme` is not a string.', 'Set it to `exact`.'],
  'PAY-042': ['ERROR', '`scheme` is not `exact`; a warning for other x402 schemes.', 'Set it to `exact`.'],
  'PAY-050': ['ERROR', '`network` is missing.', 'Give a CAIP-2 id, such as `eip155:8453`.'],
  'PAY-051': ['ERROR', '`network` is not a string.', 'Give a CAIP-2 id, such as `eip155:8453`.'],
  'PAY-052': [
    'ERROR',
    '`network` is neither `eip155:` nor `solana:` (version 1: no name such as `base`); a warning for other CAIP-2 ids, which are not checked further.',
    'Give a CAIP-2 id, such as `eip155:8453`; names such as `base` belong to version 1.',
  ],
  'PAY-053': ['ERROR', '`network` has only a prefix.', 'Give the id of the chain, such as `eip155:8453`.'],
  'PAY-054': [
    'ERROR',
    'The chain in `network` is malformed.',
    'eip155: a decimal number. solana: 32 base58 characters.',
  ],
  'PAY-060': [
    'ERROR',
    '`amount` (version 1: `maxAmountRequired`) is missing.',
    'Give atomic units, such as `"10000"`.',
  ],
  'PAY-061': ['ERROR', '`amount` is not a string.', 'Give atomic units as a string, such as `"10000"`.'],
  'PAY-062': ['ERROR', '`amount` is not a number.', 'Give atomic units as a string, such as `"10000"`.'],
  'PAY-063': ['ERROR', '`amount` is not greater than 0.', 'Require at least one atomic unit.'],
  'PAY-064': ['ERROR', '`amount` is not a whole number of atomic units, or too large.', 'Digits only: `"10000"`.'],
  'PAY-070': ['ERROR', '`asset` is missing.', 'Give the address of the token.'],
  'PAY-071': ['ERROR', '`asset` is not a string.', 'Give the address of the token.'],
  'PAY-072': ['ERROR', '`asset` is not a valid address.', 'EVM: 0x and 40 hex digits. Solana: base58, 32 bytes.'],
  'PAY-073': ['WARNING', '`asset` has no valid EIP-55 checksum.', 'Use the EIP-55 form of the address.'],
  'PAY-080': ['ERROR', '`payTo` is missing.', 'Give the address of the receiver.'],
  'PAY-081': ['ERROR', '`payTo` is not a string.', 'Give the address of the receiver.'],
  'PAY-082': ['ERROR', '`payTo` is not a usable address.', 'Give the address of the receiver, not the zero address.'],
  'PAY-083': ['WARNING', '`payTo` has no EIP-55 checksum.', 'Use the EIP-55 form of the address.'],
  'PAY-084': ['ERROR', 'The EIP-55 checksum of `payTo` is wrong: probably a typo.', 'Check every character.'],
  'PAY-090': ['ERROR', '`maxTimeoutSeconds` is missing.', 'Give whole seconds, such as 60.'],
  'PAY-091': ['ERROR', '`maxTimeoutSeconds` is not a number.', 'Give whole seconds, such as 60.'],
  'PAY-092': ['ERROR', '`maxTimeoutSeconds` is not greater than 0.', 'Give whole seconds, such as 60.'],
  'PAY-093': ['WARNING', '`maxTimeoutSeconds` is not a whole number.', 'Give whole seconds, such as 60.'],
  'PAY-094': ['INFO', '`maxTimeoutSeconds` is longer than an hour.', 'A signed payment stays valid that long.'],
  'PAY-095': ['ERROR', '`extra.feePayer` is missing or not a Solana address.', 'Give the account that pays the fee.'],
  'PAY-096': ['WARNING', '`extra.memo` is not a text of at most 256 bytes.', 'Shorten it.'],
  'PAY-100': ['INFO', '`extra` is not an object.', 'Give an object, or leave it out.'],
  'PAY-101': ['INFO', '`extra.name` is missing: the EIP-712 domain of the token.', 'Give the name of the token.'],
  'PAY-102': ['INFO', '`extra.version` is missing: the EIP-712 domain of the token.', 'Give the version of the token.'],

  'PRB-004': ['INFO', 'Tool calls failed.', 'See the text for the cause.'],
  'PRB-005': ['INFO', 'No tools to call, or none could be listed.', 'Nothing to do.'],
  'PRB-006': ['WARNING', 'Payment is required by a JSON-RPC error.', 'Send a tool result as in x402 for MCP.'],
  'PRB-007': ['INFO', 'Payment is required as in x402 for MCP.', 'Nothing to do.'],
  'PRB-008': ['WARNING', 'Payment is required by HTTP status 402.', 'MCP clients rarely see it: send a tool result.'],
  'PRB-009': ['WARNING', 'Payment is required by a nonstandard result.', 'Use `structuredContent` as in x402 for MCP.'],
  'PRB-010': ['INFO', 'A result points to another x402 API.', 'Nothing to do.'],
  'PRB-011': [
    'INFO',
    'Tools were not called because they may write, according to their annotations.',
    'Set `probe` if they may be called.',
  ],
  'PRB-012': ['INFO', 'Tools advertise a price in `_meta`.', 'Nothing to do.'],
  'PRB-013': [
    'INFO',
    'Tools were not called because a limit was reached; an error if no tool was called in time.',
    'Raise `probeLimits` or `timeout`.',
  ],

  'AUTH-002': ['INFO', 'Metadata of an authorization server is missing or incomplete.', 'Serve RFC 8414 metadata.'],
  'AUTH-003': ['WARNING', 'PKCE with S256 is not advertised.', 'List `S256` in `code_challenge_methods_supported`.'],
  'AUTH-004': ['WARNING', 'Resource metadata has no authorization server.', 'Fill `authorization_servers`.'],
  'AUTH-005': ['INFO', 'Clients can neither register nor use a metadata document.', 'Support one of the two.'],
  'AUTH-006': ['WARNING', 'The metadata has a different issuer.', '`issuer` must match exactly.'],
  'AUTH-007': [
    'INFO',
    'A 401 does not point to usable resource metadata.',
    'Send `WWW-Authenticate: Bearer resource_metadata=…`.',
  ],
  'AUTH-008': ['INFO', '`resource` in the metadata is not this endpoint.', 'Use the URL that clients use.'],
  'AUTH-009': ['INFO', 'An OAuth URL is not https, or the network policy blocks it.', 'Use public https URLs.'],
  'AUTH-010': ['INFO', 'The server requires OAuth, or advertises it.', 'Nothing to do.'],
  'AUTH-011': ['INFO', 'Scopes are advertised.', 'Nothing to do.'],

  'CMP-001': ['WARNING', 'The snapshots have different endpoints.', 'Compare snapshots of one server.'],
  'CMP-002': ['WARNING', 'A snapshot has no timestamp.', 'Keep `entries.timestamp`.'],
  'CMP-003': ['WARNING', '`after` is older than `before`.', 'Swap the two.'],
};
