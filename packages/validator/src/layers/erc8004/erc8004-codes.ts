import { because, type CodeEntry } from '../../findings/code-table.ts';

export type Erc8004Code =
  | `RPC-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '010'}`
  | 'REP-001'
  | `URI-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009'}`
  | `REG-${'001' | '002' | '003' | '004' | '020' | '021' | '022' | '023' | '030' | '031' | '032' | '033' | '034'}`;

const EIP = 'https://eips.ethereum.org/EIPS/eip-8004';
const LOOKUP = 'docs/validator.md#lookupagent';

/** Agents that are registered on a chain. */
export const erc8004Codes: Readonly<Record<Erc8004Code, CodeEntry>> = {
  ...because('Without a node, nothing on the chain can be read. This package has no nodes of its own.', LOOKUP, {
    'RPC-001': [
      'ERROR',
      'No node is given for the chain; only told in an assessment.',
      'Pass the URL of a node under the alias of the chain, such as `rpcNodes: { BASE_MAINNET: url }`.',
    ],
    'RPC-002': [
      'ERROR',
      'No node gave a usable answer; or the node is of another chain, or has no registry.',
      'Check the URL of the node, its key and its chain, or add another node.',
    ],
    'RPC-005': ['WARNING', 'One of several nodes failed; another one answered.', 'Check this node, or remove it.'],
    'RPC-006': [
      'ERROR',
      'The chain has no known ERC-8004 registry.',
      'Check the id of the chain; docs/validator.md lists the chains.',
    ],
    'RPC-007': [
      'ERROR',
      'The package `viem`, which reads the chain, is not installed; only told in an assessment.',
      'Run `npm install viem@2.57.1`, for a global `schemakit` with `--global`.',
    ],
  }),
  ...because('An agent that is not in the registry has neither owner nor reputation.', `${EIP}#identity-registry`, {
    'RPC-003': [
      'WARNING',
      'The agent is not in the registry of the chain; an error in `lookupAgent`.',
      'Check the id of the agent and the chain.',
    ],
  }),
  ...because('One of the nodes is wrong or lies, so none of what they say can be relied on.', LOOKUP, {
    'RPC-004': ['ERROR', 'Two nodes say different things about the agent.', 'Ask a third node; remove the wrong one.'],
  }),
  ...because('Clients choose agents by their feedback.', `${EIP}#reputation-registry`, {
    'RPC-010': ['ERROR', 'The reputation cannot be read.', 'Try another node.'],
    'REP-001': ['INFO', 'The agent has no feedback yet.', 'Nothing to do.'],
  }),
  ...because(
    'Clients learn from the registration file what the agent is and where to reach it.',
    `${EIP}#agent-uri-and-agent-registration-file`,
    {
      'URI-001': ['WARNING', 'The agent has no URI.', 'Set it with `setAgentURI`.'],
      'URI-002': ['WARNING', 'The registration file cannot be fetched.', 'Serve it with status 200.'],
      'URI-003': [
        'WARNING',
        'The network policy blocks the URI: its address is not public.',
        'Host the file publicly, or allow its origin in `privateOrigins`.',
      ],
      'URI-004': ['WARNING', 'The scheme of the URI is unknown.', 'Use `https:`, `ipfs:` or `data:`.'],
      'URI-005': [
        'WARNING',
        'The `data:` URI cannot be decoded.',
        'Encode the file as `data:application/json;base64,…`.',
      ],
      'URI-006': ['WARNING', 'The registration file is larger than 256 KiB.', 'Make it smaller.'],
      'URI-007': ['WARNING', 'The registration file is not a JSON object.', 'Serve a JSON object.'],
      'URI-008': [
        'INFO',
        'The file is in IPFS, and no gateway is given.',
        'Pass gateways, such as `ipfsGateways: [url]`.',
      ],
    },
  ),
  ...because(
    'A gateway could serve any file under this name.',
    'https://specs.ipfs.tech/http-gateways/trustless-gateway/',
    {
      'URI-009': ['ERROR', 'A gateway served a block that does not match its CID.', 'Use another gateway.'],
    },
  ),
  ...because(
    'Anybody can name a domain on the chain; only its owner can serve this file.',
    `${EIP}#endpoint-domain-verification-optional`,
    {
      'REG-001': ['INFO', 'A domain has no `/.well-known/agent-registration.json`.', 'Serve it to prove the domain.'],
      'REG-002': ['WARNING', 'The file of the domain is not a JSON object.', 'Serve a JSON object.'],
      'REG-003': ['WARNING', 'The file of the domain has no array `registrations`.', 'List the agent there.'],
      'REG-004': ['WARNING', 'The file of the domain does not name the agent.', 'Add the agent to `registrations`.'],
      'REG-034': [
        'WARNING',
        'The registration of the agent names no endpoint at the origin of the URL.',
        'Name the endpoint in `services`, or correct the id of the agent.',
      ],
    },
  ),
  ...because(
    'Without it, the registration cannot be found on a chain.',
    `${EIP}#agent-uri-and-agent-registration-file`,
    {
      'REG-020': ['WARNING', 'A registration has no `agentId`.', 'Write the id as a number, such as 22.'],
      'REG-021': ['WARNING', 'A registration has no `agentRegistry`.', 'Write it as `eip155:<chain>:<address>`.'],
      'REG-022': [
        'WARNING',
        '`agentRegistry` names no chain, or one without a known registry.',
        'Write it as `eip155:<chain>:<address>`.',
      ],
      'REG-023': [
        'WARNING',
        '`agentRegistry` is not the ERC-8004 registry of its chain.',
        'Write the address of the registry; docs/validator.md lists them.',
      ],
    },
  ),
  ...because(
    'Programs that follow the specification cannot read the file.',
    `${EIP}#agent-uri-and-agent-registration-file`,
    {
      'REG-030': [
        'WARNING',
        'A required field of the registration file is missing, or a field is wrong.',
        'Correct the field.',
      ],
      'REG-031': [
        'INFO',
        'The registration file uses an earlier name of a field.',
        'Use the name of the specification.',
      ],
      'REG-032': [
        'INFO',
        'The registration file has a name that the specification does not know.',
        'Check its spelling.',
      ],
      'REG-033': [
        'WARNING',
        'The registration file names other agents only; told only if it names none.',
        'Add this agent to `registrations`.',
      ],
    },
  ),
};
