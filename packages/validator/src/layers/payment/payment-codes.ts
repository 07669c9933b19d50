import { because, type CodeEntry } from '../../findings/code-table.ts';

export type PaymentCode =
  | `PRB-${'006' | '007' | '008' | '009' | '010' | '012' | '014'}`
  | `PAY-${'001' | '002' | '010' | '011' | '012' | '013' | '019' | '020' | '021' | '022' | '023' | '024' | '025' | '030' | '031' | '032' | '033' | '034' | '040' | '041' | '042' | '050' | '051' | '052' | '053' | '054' | '060' | '061' | '062' | '063' | '064' | '070' | '071' | '072' | '073' | '074' | '080' | '081' | '082' | '083' | '084' | '085' | '090' | '091' | '092' | '093' | '094' | '095' | '096' | '100' | '101' | '102'}`;

const X402 = 'https://github.com/coinbase/x402/blob/main/specs';

/** Ways to require payment, and requirements of x402. */
export const paymentCodes: Readonly<Record<PaymentCode, CodeEntry>> = {
  ...because('Clients pay only where they recognize the requirement.', `${X402}/transports-v2/mcp.md`, {
    'PRB-006': ['WARNING', 'Payment is required by a JSON-RPC error.', 'Send a tool result as in x402 for MCP.'],
    'PRB-007': ['INFO', 'Payment is required as in x402 for MCP.', 'Nothing to do.'],
    'PRB-008': ['WARNING', 'Payment is required by HTTP status 402.', 'MCP clients rarely see it: send a tool result.'],
    'PRB-009': [
      'WARNING',
      'Payment is required by a nonstandard result.',
      'Use `structuredContent` as in x402 for MCP.',
    ],
    'PRB-010': ['INFO', 'A result points to another x402 API.', 'Nothing to do.'],
    'PRB-012': ['INFO', 'Tools advertise a price in `_meta`.', 'Nothing to do.'],
    'PRB-014': ['INFO', 'The URL requires payment by a protocol other than x402.', 'Nothing to do.'],
  }),
  ...because(
    'A client that cannot read the terms cannot pay, so it cannot use the tool.',
    `${X402}/x402-specification-v2.md`,
    {
      'PAY-001': ['ERROR', 'A tool requires payment without stating its price.', 'Send a PaymentRequired object.'],
      'PAY-002': ['ERROR', 'The payment requirement is not an object, or too large.', 'Send a PaymentRequired object.'],
      'PAY-030': ['ERROR', '`accepts` is missing.', 'List the payment options.'],
      'PAY-031': ['ERROR', '`accepts` is not an array of objects.', 'List the payment options.'],
      'PAY-032': ['ERROR', '`accepts` is empty.', 'List at least one payment option.'],
    },
  ),
  ...because(
    'Clients choose the rules for reading the requirement by its version.',
    `${X402}/x402-specification-v2.md`,
    {
      'PAY-010': ['ERROR', '`x402Version` is missing.', 'Set it to 2.'],
      'PAY-011': ['ERROR', '`x402Version` is not a number.', 'Set it to the number 2.'],
      'PAY-012': ['ERROR', '`x402Version` is neither 1 nor 2.', 'Set it to 2.'],
      'PAY-013': ['INFO', 'The requirement uses x402 version 1 and is checked by its rules.', 'Move to version 2.'],
    },
  ),
  ...because(
    'Users see from it what they pay for, and clients which resource the payment is bound to.',
    `${X402}/x402-specification-v2.md`,
    {
      'PAY-019': [
        'WARNING',
        '`resource` (version 1: or `description`) is missing or does not match its version.',
        'Say what is paid for. Version 2: `{ url }`; version 1: a URL and a description in each entry of `accepts`.',
      ],
      'PAY-020': ['ERROR', '`resource` is neither a string nor an object.', 'Give `{ url }`.'],
      'PAY-021': ['ERROR', '`resource` is empty or has no `url`.', 'Give `{ url }`.'],
      'PAY-022': ['ERROR', '`resource.url` is not a string.', 'Give an absolute URL.'],
      'PAY-023': [
        'ERROR',
        '`resource.url` is not an absolute URL.',
        'Give an absolute URL, such as `mcp://tool/name`.',
      ],
      'PAY-024': ['WARNING', '`resource` has unknown fields.', 'Put extensions into `extensions`.'],
    },
  ),
  ...because('Clients with a strict parser reject the whole requirement.', `${X402}/x402-specification-v2.md`, {
    'PAY-025': ['WARNING', '`error` is not a string.', 'Give a readable text.'],
    'PAY-033': ['WARNING', '`extensions` is not an object.', 'Give an object, or leave it out.'],
    'PAY-100': ['INFO', '`extra` is not an object.', 'Give an object, or leave it out.'],
  }),
  ...because(
    'Clients read one of the two copies, so they may be asked for different payments.',
    `${X402}/transports-v2/http.md`,
    {
      'PAY-034': [
        'WARNING',
        'Header and body, or `structuredContent` and text, state different requirements; INFO if only `structuredContent` has one.',
        'Send the same requirement in both.',
      ],
    },
  ),
  ...because('Clients pay only by a scheme that they know.', `${X402}/schemes/exact/scheme_exact.md`, {
    'PAY-040': ['ERROR', '`scheme` is missing.', 'Set it to `exact`.'],
    'PAY-041': ['ERROR', '`scheme` is not a string.', 'Set it to `exact`.'],
    'PAY-042': ['ERROR', '`scheme` is not `exact`; a warning for other x402 schemes.', 'Set it to `exact`.'],
  }),
  ...because('Clients pay only on a chain that they can identify.', 'https://chainagnostic.org/CAIPs/caip-2', {
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
  }),
  ...because(
    'Clients compare the amount with the limit of the user; an amount that they cannot read is refused, or misread.',
    `${X402}/x402-specification-v2.md`,
    {
      'PAY-060': [
        'ERROR',
        '`amount` (version 1: `maxAmountRequired`) is missing.',
        'Give atomic units, such as `"10000"`.',
      ],
      'PAY-061': ['ERROR', '`amount` is not a string.', 'Give atomic units as a string, such as `"10000"`.'],
      'PAY-062': ['ERROR', '`amount` is not a number.', 'Give atomic units as a string, such as `"10000"`.'],
      'PAY-063': ['ERROR', '`amount` is not greater than 0.', 'Require at least one atomic unit.'],
      'PAY-064': ['ERROR', '`amount` is not a whole number of atomic units, or too large.', 'Digits only: `"10000"`.'],
    },
  ),
  ...because('Clients pay only in a token that they can identify.', `${X402}/schemes/exact/scheme_exact_evm.md`, {
    'PAY-070': ['ERROR', '`asset` is missing.', 'Give the address of the token.'],
    'PAY-071': ['ERROR', '`asset` is not a string.', 'Give the address of the token.'],
    'PAY-074': [
      'WARNING',
      '`asset` is a known token of another chain.',
      'Give the address that the token has on the chain in `network`.',
    ],
    'PAY-072': ['ERROR', '`asset` is not a valid address.', 'EVM: 0x and 40 hex digits. Solana: base58, 32 bytes.'],
  }),
  ...because('Without its checksum, a mistyped address goes unnoticed.', 'https://eips.ethereum.org/EIPS/eip-55', {
    'PAY-073': ['WARNING', '`asset` has no valid EIP-55 checksum.', 'Use the EIP-55 form of the address.'],
    'PAY-083': ['WARNING', '`payTo` has no EIP-55 checksum.', 'Use the EIP-55 form of the address.'],
  }),
  ...because('A payment to a wrong address is lost.', `${X402}/schemes/exact/scheme_exact_evm.md`, {
    'PAY-080': ['ERROR', '`payTo` is missing.', 'Give the address of the receiver.'],
    'PAY-081': ['ERROR', '`payTo` is not a string.', 'Give the address of the receiver.'],
    'PAY-085': ['ERROR', '`payTo` is the address of the token.', 'Give the address of the receiver.'],
    'PAY-082': ['ERROR', '`payTo` is not a usable address.', 'Give the address of the receiver, not the zero address.'],
  }),
  ...because('A payment to a wrong address is lost.', 'https://eips.ethereum.org/EIPS/eip-55', {
    'PAY-084': ['ERROR', 'The EIP-55 checksum of `payTo` is wrong: probably a typo.', 'Check every character.'],
  }),
  ...because(
    'The signed payment expires after this time: too short, and it cannot be settled; too long, and it stays usable for others.',
    `${X402}/x402-specification-v2.md`,
    {
      'PAY-090': ['ERROR', '`maxTimeoutSeconds` is missing.', 'Give whole seconds, such as 60.'],
      'PAY-091': ['ERROR', '`maxTimeoutSeconds` is not a number.', 'Give whole seconds, such as 60.'],
      'PAY-092': ['ERROR', '`maxTimeoutSeconds` is not greater than 0.', 'Give whole seconds, such as 60.'],
      'PAY-093': ['WARNING', '`maxTimeoutSeconds` is not a whole number.', 'Give whole seconds, such as 60.'],
      'PAY-094': ['INFO', '`maxTimeoutSeconds` is longer than an hour.', 'A signed payment stays valid that long.'],
    },
  ),
  ...because(
    'Clients on Solana build the transaction from these fields.',
    `${X402}/schemes/exact/scheme_exact_svm.md`,
    {
      'PAY-095': [
        'ERROR',
        '`extra.feePayer` is missing or not a Solana address.',
        'Give the account that pays the fee.',
      ],
      'PAY-096': ['WARNING', '`extra.memo` is not a text of at most 256 bytes.', 'Shorten it.'],
    },
  ),
  ...because(
    'Clients sign in the EIP-712 domain of the token. Without its name and version they must guess, and a wrong guess makes the payment invalid.',
    'https://eips.ethereum.org/EIPS/eip-3009',
    {
      'PAY-101': ['INFO', '`extra.name` is missing: the EIP-712 domain of the token.', 'Give the name of the token.'],
      'PAY-102': [
        'INFO',
        '`extra.version` is missing: the EIP-712 domain of the token.',
        'Give the version of the token.',
      ],
    },
  ),
};
