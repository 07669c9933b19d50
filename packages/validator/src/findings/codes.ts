/** How much a finding weighs. Only an `ERROR` makes `status` false. */
export type Severity = 'ERROR' | 'WARNING' | 'INFO';

/** A code of the table. It keeps its meaning for good; numbers between these are not used. */
export type Code =
  | `VAL-${'001' | '002' | '003' | '004' | '005' | '006' | '010' | '011' | '012' | '013' | '014' | '015'}`
  | `CON-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011'}`
  | `PAY-${'001' | '002' | '010' | '011' | '012' | '013' | '019' | '020' | '021' | '022' | '023' | '024' | '025' | '030' | '031' | '032' | '033' | '034' | '040' | '041' | '042' | '050' | '051' | '052' | '053' | '054' | '060' | '061' | '062' | '063' | '064' | '070' | '071' | '072' | '073' | '080' | '081' | '082' | '083' | '084' | '090' | '091' | '092' | '093' | '094' | '095' | '096' | '100' | '101' | '102'}`
  | `PRB-${'004' | '005' | '006' | '007' | '008' | '009' | '010' | '011' | '012' | '013'}`
  | `AUTH-${'002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011'}`
  | `CMP-${'001' | '002' | '003'}`;

/** The severity of a code, what it means, and what to do about it. */
export type CodeEntry = readonly [severity: Severity, meaning: string, advice: string];

const GIVE_ENDPOINT = 'Give the address of the MCP server, such as `https://example.com/mcp`.';
const GIVE_SNAPSHOT = 'Give what `start` returned, or its JSON form.';

/** Every code of this package, by family; `docs/validator-codes.md` is written from it. */
export const codes: Readonly<Record<Code, CodeEntry>> = {
  'VAL-001': ['ERROR', 'The endpoint is missing.', GIVE_ENDPOINT],
  'VAL-002': ['ERROR', 'The endpoint is not a string.', GIVE_ENDPOINT],
  'VAL-003': ['ERROR', 'The endpoint is empty.', GIVE_ENDPOINT],
  'VAL-004': ['ERROR', 'The endpoint is not an `http:` or `https:` URL without user name and password.', GIVE_ENDPOINT],
  'VAL-005': [
    'ERROR',
    'An option is not of its kind; a warning where there is no such option.',
    'Read what the option takes; `timeout` is a finite number.',
  ],
  'VAL-006': ['ERROR', 'A number is not greater than 0.', 'Give `timeout` in milliseconds, such as 10000.'],
  'VAL-010': ['ERROR', 'The snapshot `before` is missing.', GIVE_SNAPSHOT],
  'VAL-011': ['ERROR', 'The snapshot `before` is not an object of plain JSON.', GIVE_SNAPSHOT],
  'VAL-012': ['ERROR', 'The snapshot `before` has no `categories` or no `entries`.', GIVE_SNAPSHOT],
  'VAL-013': ['ERROR', 'The snapshot `after` is missing.', GIVE_SNAPSHOT],
  'VAL-014': ['ERROR', 'The snapshot `after` is not an object of plain JSON.', GIVE_SNAPSHOT],
  'VAL-015': ['ERROR', 'The snapshot `after` has no `categories` or no `entries`.', GIVE_SNAPSHOT],

  'CON-001': [
    'ERROR',
    'No HTTP answer came from the endpoint.',
    'Check that the server runs, and its address or command.',
  ],
  'CON-002': [
    'ERROR',
    'The endpoint, or what it leads to, is refused by the network policy.',
    'Give the final address as endpoint, or name the origin in `privateOrigins` (`--private-origin`) if it is meant.',
  ],
  'CON-003': ['ERROR', 'The handshake did not end in time.', 'Raise `timeout`, or look at what the server waits for.'],
  'CON-004': ['ERROR', 'The MCP handshake failed.', 'Check that the address is the one of the MCP endpoint.'],
  'CON-005': ['ERROR', 'The handshake needs authorization.', 'Send credentials with `headers` (`--header`).'],
  'CON-006': ['ERROR', 'The handshake itself asks for payment.', 'Let clients connect and list tools without payment.'],
  'CON-007': ['ERROR', 'The answer to the handshake is too large, or is not MCP.', 'Check the address.'],
  'CON-008': [
    'WARNING',
    '`tools/list` failed or ended early.',
    'What came before is kept; see the text for the cause.',
  ],
  'CON-009': [
    'WARNING',
    '`tools/list` answered in a form that is not MCP.',
    'Answer with an array of tools, each with a name of its own and an `inputSchema`.',
  ],
  'CON-010': [
    'INFO',
    'Listing resources failed or ended early.',
    'What came before is kept; see the text for the cause.',
  ],
  'CON-011': [
    'INFO',
    'Listing prompts failed or ended early.',
    'What came before is kept; see the text for the cause.',
  ],

  'PAY-001': ['ERROR', 'A tool asks for payment without saying what it costs.', 'Send a PaymentRequired object.'],
  'PAY-002': [
    'ERROR',
    'The payment requirement is not an object, or too large for one.',
    'Send a PaymentRequired object.',
  ],
  'PAY-010': ['ERROR', '`x402Version` is missing.', 'Set it to 2.'],
  'PAY-011': ['ERROR', '`x402Version` is not a number.', 'Set it to the number 2.'],
  'PAY-012': ['ERROR', '`x402Version` is neither 1 nor 2.', 'Set it to 2.'],
  'PAY-013': ['INFO', 'The requirement is of x402 version 1, and checked by its rules.', 'Move to version 2.'],
  'PAY-019': [
    'WARNING',
    '`resource` (version 1: or `description`) is missing or not in the form of its version.',
    'Say what is paid for. Version 2: `{ url }`; version 1: an address and a description in each way to pay.',
  ],
  'PAY-020': ['ERROR', '`resource` is neither a string nor an object.', 'Give `{ url }`.'],
  'PAY-021': ['ERROR', '`resource` is empty or has no `url`.', 'Give `{ url }`.'],
  'PAY-022': ['ERROR', '`resource.url` is not a string.', 'Give an absolute URL.'],
  'PAY-023': ['ERROR', '`resource.url` is not an absolute URL.', 'Give an absolute URL, such as `mcp://tool/name`.'],
  'PAY-024': ['WARNING', '`resource` has fields that x402 does not know.', 'Put extensions into `extensions`.'],
  'PAY-025': ['WARNING', '`error` is not a string.', 'Give a text that people can read.'],
  'PAY-030': ['ERROR', '`accepts` is missing.', 'List the ways to pay.'],
  'PAY-031': ['ERROR', '`accepts` is not an array of objects.', 'List the ways to pay.'],
  'PAY-032': ['ERROR', '`accepts` is empty.', 'List at least one way to pay.'],
  'PAY-033': ['WARNING', '`extensions` is not an object.', 'Give an object, or leave it out.'],
  'PAY-034': [
    'WARNING',
    'The two places of a requirement (header and body, or `structuredContent` and text) ask for different payments; a remark where a result has it in `structuredContent` alone.',
    'Make both say the same.',
  ],
  'PAY-040': ['ERROR', '`scheme` is missing.', 'Set it to `exact`.'],
  'PAY-041': ['ERROR', '`scheme` is not a string.', 'Set it to `exact`.'],
  'PAY-042': ['ERROR', '`scheme` is not `exact`; a warning for other schemes that x402 has.', 'Set it to `exact`.'],
  'PAY-050': ['ERROR', '`network` is missing.', 'Give a CAIP-2 id, such as `eip155:8453`.'],
  'PAY-051': ['ERROR', '`network` is not a string.', 'Give a CAIP-2 id, such as `eip155:8453`.'],
  'PAY-052': [
    'ERROR',
    '`network` is neither `eip155:` nor `solana:` (version 1: no name such as `base`); a warning for other CAIP-2 ids, which are not checked further.',
    'Give a CAIP-2 id, such as `eip155:8453`; names such as `base` belong to version 1.',
  ],
  'PAY-053': ['ERROR', '`network` has nothing after its prefix.', 'Give the id of the chain, such as `eip155:8453`.'],
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
  'PAY-063': ['ERROR', '`amount` is not greater than 0.', 'Ask for at least one atomic unit.'],
  'PAY-064': [
    'ERROR',
    '`amount` is not a whole number of atomic units in decimal digits, or larger than any token.',
    'Digits only: `"10000"`.',
  ],
  'PAY-070': ['ERROR', '`asset` is missing.', 'Give the address of the token.'],
  'PAY-071': ['ERROR', '`asset` is not a string.', 'Give the address of the token.'],
  'PAY-072': [
    'ERROR',
    '`asset` is not an address of its network.',
    'EVM: 0x and 40 hex digits. Solana: base58, 32 bytes.',
  ],
  'PAY-073': ['WARNING', '`asset` does not carry its EIP-55 checksum.', 'Write the address as EIP-55 has it.'],
  'PAY-080': ['ERROR', '`payTo` is missing.', 'Give the address of the receiver.'],
  'PAY-081': ['ERROR', '`payTo` is not a string.', 'Give the address of the receiver.'],
  'PAY-082': [
    'ERROR',
    '`payTo` is not a usable address of its network.',
    'Give the address of the receiver, not zero.',
  ],
  'PAY-083': ['WARNING', '`payTo` carries no EIP-55 checksum.', 'Write the address as EIP-55 has it.'],
  'PAY-084': ['ERROR', 'The EIP-55 checksum of `payTo` is wrong: likely a typing error.', 'Check every character.'],
  'PAY-090': ['ERROR', '`maxTimeoutSeconds` is missing.', 'Give whole seconds, such as 60.'],
  'PAY-091': ['ERROR', '`maxTimeoutSeconds` is not a number.', 'Give whole seconds, such as 60.'],
  'PAY-092': ['ERROR', '`maxTimeoutSeconds` is not greater than 0.', 'Give whole seconds, such as 60.'],
  'PAY-093': ['WARNING', '`maxTimeoutSeconds` is not a whole number.', 'Give whole seconds, such as 60.'],
  'PAY-094': ['INFO', '`maxTimeoutSeconds` is longer than an hour.', 'A signed payment stays usable that long.'],
  'PAY-095': ['ERROR', '`extra.feePayer` is missing or no Solana address.', 'Name the account that pays the fee.'],
  'PAY-096': ['WARNING', '`extra.memo` is not a text of at most 256 bytes.', 'Shorten it.'],
  'PAY-100': ['INFO', '`extra` is not an object.', 'Give an object, or leave it out.'],
  'PAY-101': ['INFO', '`extra.name` is missing: the EIP-712 domain of the token.', 'Give the name of the token.'],
  'PAY-102': ['INFO', '`extra.version` is missing: the EIP-712 domain of the token.', 'Give the version of the token.'],

  'PRB-004': ['INFO', 'Tools gave no usable answer when they were called.', 'See the text for the cause.'],
  'PRB-005': ['INFO', 'There are no tools to call, or none could be listed.', 'Nothing to do.'],
  'PRB-006': [
    'WARNING',
    'Payment is asked for by a JSON-RPC error.',
    'Answer with a tool result as x402 for MCP has it.',
  ],
  'PRB-007': ['INFO', 'Payment is asked for as x402 for MCP has it.', 'Nothing to do.'],
  'PRB-008': [
    'WARNING',
    'Payment is asked for by HTTP status 402.',
    'MCP clients see headers and status rarely: use a result.',
  ],
  'PRB-009': [
    'WARNING',
    'Payment is asked for by a result in a form of its own.',
    'Use `structuredContent` as x402 has it.',
  ],
  'PRB-010': ['INFO', 'A result points to an x402 API elsewhere.', 'Nothing to do.'],
  'PRB-011': ['INFO', 'Tools were not called because of what they declare.', 'Set `probe` if they may be called.'],
  'PRB-012': ['INFO', 'Tools advertise a price in `_meta`.', 'Nothing to do.'],
  'PRB-013': [
    'INFO',
    'Tools were not called because the limits were reached; an error where time ended before any was called.',
    'Raise `probeLimits` or `timeout`.',
  ],

  'AUTH-002': ['INFO', 'Metadata of an authorization server is missing or incomplete.', 'Serve RFC 8414 metadata.'],
  'AUTH-003': ['WARNING', 'PKCE with S256 is not announced.', 'List `S256` in `code_challenge_methods_supported`.'],
  'AUTH-004': [
    'WARNING',
    'Protected-resource metadata names no authorization server.',
    'Fill `authorization_servers`.',
  ],
  'AUTH-005': ['INFO', 'Clients can neither register nor use a metadata document.', 'Offer one of the two.'],
  'AUTH-006': [
    'WARNING',
    'Metadata names another issuer than it was asked for.',
    'Make `issuer` equal, to the character.',
  ],
  'AUTH-007': [
    'INFO',
    'A 401 does not say where usable resource metadata is.',
    'Send `WWW-Authenticate: Bearer resource_metadata=…`.',
  ],
  'AUTH-008': ['INFO', '`resource` in the metadata is not this endpoint.', 'Name the endpoint as clients know it.'],
  'AUTH-009': [
    'INFO',
    'An OAuth address is not https, or is refused by the network policy.',
    'Use public https addresses.',
  ],
  'AUTH-010': ['INFO', 'The server requires OAuth, or advertises it.', 'Nothing to do.'],
  'AUTH-011': ['INFO', 'Scopes are announced.', 'Nothing to do.'],

  'CMP-001': ['WARNING', 'The snapshots are of different endpoints.', 'Compare snapshots of one server.'],
  'CMP-002': ['WARNING', 'A snapshot has no timestamp.', 'Keep `entries.timestamp`.'],
  'CMP-003': ['WARNING', '`after` is older than `before`.', 'Swap the two.'],
};
