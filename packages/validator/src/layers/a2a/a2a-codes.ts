import { because, type CodeEntry } from '../../findings/code-table.ts';

export type A2aCode =
  | `CON-11${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | `CSV-02${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | `CSV-03${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`
  | `CSV-04${0 | 1 | 2 | 3 | 4 | 5}`;

const A2A = 'https://a2a-protocol.org/latest/specification';
const AP2 = 'https://github.com/google-agentic-commerce/AP2';
const FIELDS = 'Clients choose an agent by these fields, and strict ones reject a card without them.';
const FORM = 'Clients read the fields of their version by the exact names.';
const OPTIONAL = 'Clients find an A2A agent by the card at its origin; servers without A2A need none.';
const SIGNED =
  'A signature shows that the card was not changed on its way; one that fails is a reason to distrust the card.';

/** The agent card, its signatures, and the interfaces that it declares. */
export const a2aCodes: Readonly<Record<A2aCode, CodeEntry>> = {
  ...because(OPTIONAL, `${A2A}#82-discovery-mechanisms`, {
    'CON-110': ['INFO', 'There is no HTTP response to a request for the agent card.', 'Check that the server runs.'],
    'CON-111': ['INFO', 'There is no agent card (404).', 'A2A agents only: serve `/.well-known/agent-card.json`.'],
    'CON-112': [
      'INFO',
      'The request for the agent card is refused.',
      'Serve the card without authorization; keep secrets for the extended card.',
    ],
    'CON-113': [
      'INFO',
      'There is an answer, but no agent card; or it is too large.',
      'Send a JSON object under 256 KiB.',
    ],
    'CON-114': ['INFO', 'The agent card is too slow.', 'Raise `timeout`, or serve the card as a static file.'],
    'CON-115': ['INFO', 'Only the path of early versions has a card.', 'Serve it at `/.well-known/agent-card.json`.'],
    'CON-116': [
      'INFO',
      'The network policy blocks the agent card or its redirect.',
      'Serve the card itself at the origin, or allow the other origin with `privateOrigins`.',
    ],
  }),
  ...because('Clients send their tasks to these URLs.', `${A2A}#83-protocol-declaration-requirements`, {
    'CON-117': [
      'WARNING',
      'An interface does not answer as its binding says; ERROR if none does.',
      'Check its URL, binding and version: an unknown task must give TaskNotFoundError.',
    ],
    'CON-118': [
      'WARNING',
      'The network policy blocks an interface, so it was not probed.',
      'Declare public https: URLs; for your own network, allow the origin with `privateOrigins`.',
    ],
    'CON-119': [
      'INFO',
      'Whether an interface works was not seen.',
      'Nothing to do, or send credentials with `headers`; they go to the origin of `url` only.',
    ],
    'CSV-023': ['WARNING', 'The card has no interfaces.', 'List them in `supportedInterfaces`.'],
    'CSV-024': ['WARNING', 'The list of interfaces is empty or not an array.', 'List at least one interface.'],
    'CSV-030': ['WARNING', 'An interface has no `url`.', 'Give its URL.'],
    'CSV-031': ['WARNING', 'The URL of an interface is not https:.', 'Use https:; gRPC may have `host:port`.'],
    'CSV-032': ['WARNING', 'An interface has no `protocolBinding`.', 'Say `JSONRPC`, `HTTP+JSON` or `GRPC`.'],
    'CSV-033': ['WARNING', 'An interface has no `protocolVersion`.', 'Say its version of A2A, such as `1.0`.'],
  }),
  ...because(FIELDS, `${A2A}#441-agentcard`, {
    'CSV-020': ['WARNING', '`name` is missing or not a string.', 'Name the agent.'],
    'CSV-021': ['WARNING', '`description` is missing or not a string.', 'Say what the agent does.'],
    'CSV-022': ['WARNING', '`version` is missing or not a string.', 'Give the version of the agent.'],
    'CSV-025': ['WARNING', '`capabilities` is missing or not an object.', 'Send at least `{}`.'],
    'CSV-026': ['WARNING', '`defaultInputModes` is missing or not an array of strings.', 'List media types.'],
    'CSV-027': ['WARNING', '`defaultOutputModes` is missing or not an array of strings.', 'List media types.'],
    'CSV-028': ['WARNING', '`skills` is missing or not an array.', 'List what the agent can do.'],
    'CSV-040': ['WARNING', '`provider` has no `url`.', 'Give the website of the provider.'],
    'CSV-041': ['WARNING', '`provider` has no `organization`.', 'Name the provider.'],
  }),
  ...because('Other agents decide by a skill whether to send a task.', `${A2A}#445-agentskill`, {
    'CSV-034': ['WARNING', 'A skill has no `id`.', 'Give each skill an id.'],
    'CSV-035': ['WARNING', 'A skill has no `name`.', 'Name each skill.'],
    'CSV-036': ['WARNING', 'A skill has no `description`.', 'Describe each skill.'],
    'CSV-037': ['WARNING', 'A skill has no `tags`, or they are not strings.', 'Give each skill tags.'],
    'CSV-038': ['WARNING', 'The `tags` of a skill are empty.', 'Give each skill at least one tag.'],
  }),
  ...because(FORM, `${A2A}#55-json-field-naming-convention`, {
    'CSV-029': ['WARNING', 'The card is in snake_case.', 'Send the JSON of A2A, whose names are in camelCase.'],
    'CSV-042': ['INFO', 'The card has the form of A2A 0.3.', 'For clients of A2A 1.0, add `supportedInterfaces`.'],
  }),
  ...because(SIGNED, `${A2A}#84-agent-card-signing`, {
    'CSV-043': ['ERROR', 'A signature of the card is wrong.', 'Sign the canonical card (RFC 8785) after every change.'],
    'CSV-044': [
      'WARNING',
      'A signature of the card cannot be checked, because its key is unknown.',
      'Name the set of keys in `jku` of the protected header, as an https: URL, and the key in `kid`.',
    ],
  }),
  ...because('Agents that pay look for the role of their counterpart.', AP2, {
    'CSV-045': [
      'WARNING',
      'AP2 is declared without a role.',
      'List `merchant`, `shopper`, `credentials-provider` or `payment-processor` in `params.roles`.',
    ],
  }),
};
