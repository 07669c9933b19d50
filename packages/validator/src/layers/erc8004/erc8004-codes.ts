import { because, type CodeEntry } from '../../findings/code-table.ts';

export type Erc8004Code =
  | `RPC-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '010'}`
  | 'REP-001'
  | `URI-00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | `REG-${'001' | '002' | '003' | '004' | '020' | '021' | '022' | '023' | '030' | '031' | '032' | '033' | '034'}`;

const EIP = 'https://eips.ethereum.org/EIPS/eip-8004';
const GATEWAYS = 'https://specs.ipfs.tech/http-gateways/trustless-gateway/';
const LOOKUP = 'docs/validator.md#lookupagent';

/** Agents that are registered on a chain. */
export const erc8004Codes: Readonly<Record<Erc8004Code, CodeEntry>> = {
  ...because('Without a node, nothing on the chain can be read. This package has no nodes of its own.', LOOKUP, {
    'RPC-001': [
      'ERROR',
      'No node is given for the chain; INFO in an assessment.',
      'Pass the URL of a node, such as `rpcNodes: { BASE_MAINNET: url }`, at the command `--rpc BASE_MAINNET=<url>`.',
    ],
    'RPC-002': [
      'ERROR',
      'No node gave a usable answer; or the node is of another chain, or has no registry.',
      'Check the URL of the node, its key and its chain, or add another node.',
    ],
    'RPC-005': ['WARNING', 'One of several nodes failed; another one answered.', 'Check this node, or remove it.'],
    'RPC-006': ['ERROR', 'The chain has no known ERC-8004 registry.', 'See docs/validator.md for the known chains.'],
    'RPC-007': [
      'ERROR',
      'The package `viem`, which reads the chain, is not installed; INFO in an assessment.',
      'Run `npm install viem@2.57.1`, for a global `schemakit` with `--global`.',
    ],
  }),
  ...because('An agent that is not in the registry has neither owner nor reputation.', EIP, {
    'RPC-003': ['WARNING', 'The registry has no such agent; ERROR in `lookupAgent`.', 'Check its id and chain.'],
  }),
  ...because('One of the nodes is wrong or lies, so none of what they say can be relied on.', LOOKUP, {
    'RPC-004': ['ERROR', 'Two nodes say different things about the agent.', 'Ask a third node; remove the wrong one.'],
  }),
  ...because('Clients choose agents by their feedback.', EIP, {
    'RPC-010': ['ERROR', 'A part of what the chain says cannot be read; WARNING for feedback.', 'Try another node.'],
    'REP-001': ['INFO', 'The agent has no feedback yet.', 'Nothing to do.'],
  }),
  ...because('Clients learn from the registration file what the agent is and where to reach it.', EIP, {
    'URI-001': ['WARNING', 'The agent has no URI.', 'Set it with `setAgentURI`.'],
    'URI-002': ['WARNING', 'The registration file cannot be fetched.', 'Serve it with status 200.'],
    'URI-003': ['WARNING', 'The URI leads to a private address.', 'Host it publicly, or pass `privateOrigins`.'],
    'URI-004': ['WARNING', 'The URI is of an unknown kind.', 'Use `https:`, `ipfs:`, or `data:` with JSON.'],
    'URI-005': ['WARNING', 'The `data:` URI cannot be decoded.', 'Start it with `data:application/json;base64,`.'],
    'URI-006': ['WARNING', 'The registration file is larger than 256 KiB.', 'Make it smaller.'],
    'URI-007': ['WARNING', 'The registration file is not a JSON object.', 'Serve a JSON object.'],
    'URI-008': ['INFO', 'The file is in IPFS, and no gateway is given.', 'Pass `ipfsGateways`, or `--ipfs-gateway`.'],
  }),
  ...because('A gateway could serve any file under this name.', GATEWAYS, {
    'URI-009': ['ERROR', 'A gateway served a block that does not match its CID.', 'Use another gateway.'],
  }),
  ...because('Anybody can name a domain on the chain; only its owner can serve this file.', EIP, {
    'REG-001': ['INFO', 'A domain has no `/.well-known/agent-registration.json`.', 'Serve it to prove the domain.'],
    'REG-002': ['WARNING', 'The file of the domain is not a JSON object.', 'Serve a JSON object.'],
    'REG-003': ['WARNING', 'The file of the domain has no array `registrations`.', 'List the agent there.'],
    'REG-004': ['WARNING', 'The file of the domain does not name the agent.', 'Add the agent to `registrations`.'],
    'REG-034': [
      'WARNING',
      'The registration of the agent names no endpoint at the origin of the URL.',
      'Name the endpoint in `services`, or correct the id of the agent.',
    ],
  }),
  ...because('Without it, the registration cannot be found on a chain.', EIP, {
    'REG-020': ['WARNING', 'A registration has no `agentId`.', 'Write the id as a number, such as 22.'],
    'REG-021': ['WARNING', 'A registration has no `agentRegistry`.', 'Write it as `eip155:<chain>:<address>`.'],
    'REG-022': ['WARNING', '`agentRegistry` names no known chain.', 'Write it as `eip155:<chain>:<address>`.'],
    'REG-023': [
      'WARNING',
      '`agentRegistry` is not the ERC-8004 registry of its chain.',
      'Write the address of the registry; docs/validator.md lists them.',
    ],
  }),
  ...because('Programs that follow the specification cannot read the file.', EIP, {
    'REG-030': ['WARNING', 'A field of the registration file is missing or wrong.', 'Correct the field.'],
    'REG-031': ['INFO', 'The registration file uses an earlier name of a field.', 'Use the name of the specification.'],
    'REG-032': ['INFO', 'The registration file has an unknown name.', 'Check its spelling.'],
    'REG-033': [
      'WARNING',
      'The registration file names other agents only; INFO if it names none.',
      'Add this agent to `registrations`.',
    ],
  }),
};
