import { because, type CodeEntry } from '../../findings/code-table.ts';

export type QualityCode =
  | `TOOL-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '020' | '021' | '022'}`
  | `SKL-${'001' | '002' | '003' | '004' | '005' | '006'}`
  | `CARD-${'001' | '002' | '003' | '004' | '005' | '006'}`;

const MCP = 'https://modelcontextprotocol.io/specification/2026-07-28';
const SKILLS = 'https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx';
const CARDS = 'https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/docs/discovery.md';
const POISONING = 'https://modelcontextprotocol.io/specification/2026-07-28/server/tools#security-considerations';

/** How a model sees the tools, signs of poisoning, skills, and the Server Card. */
export const qualityCodes: Readonly<Record<QualityCode, CodeEntry>> = {
  ...because('A model chooses tools by their descriptions alone.', `${MCP}/server/tools`, {
    'TOOL-001': ['WARNING', 'A tool has no description.', 'Say what the tool does, and when to use it.'],
    'TOOL-002': [
      'WARNING',
      'The description of a tool only repeats its name.',
      'Say what the tool does, what it returns, and when to use it.',
    ],
    'TOOL-003': ['WARNING', 'Tools have the same description.', 'Say how the tools differ.'],
    'TOOL-004': ['INFO', 'Tools have nearly the same description.', 'Begin with what sets the tool apart.'],
  }),
  ...because('A model guesses what it is not told.', `${MCP}/server/tools`, {
    'TOOL-005': ['INFO', 'Parameters have no description.', 'Describe what each parameter means, with an example.'],
  }),
  ...because(
    'Providers of models refuse the whole request, or clients leave the tool out.',
    `${MCP}/server/tools#tool-names`,
    {
      'TOOL-006': [
        'WARNING',
        'Providers refuse the name of a tool.',
        'Use at most 64 letters, digits, underscores and hyphens.',
      ],
      'TOOL-007': [
        'WARNING',
        'Providers refuse the input schema of a tool.',
        'Use one object at the top, references that exist, and plain names of parameters.',
      ],
    },
  ),
  ...because('Some providers refuse deep schemas, and models fill them in wrongly.', `${MCP}/server/tools`, {
    'TOOL-008': ['INFO', 'An input schema is deeper than ten levels.', 'Use flat parameters.'],
  }),
  ...because(
    'Clients ask the user before each call of a tool that may write, and without annotations each may.',
    `${MCP}/server/tools#tool-annotations`,
    {
      'TOOL-009': [
        'INFO',
        'Tools have neither `readOnlyHint` nor `destructiveHint`.',
        'Set `annotations.readOnlyHint`, and for tools that write `destructiveHint`.',
      ],
    },
  ),
  ...because('Each request to a model carries the whole list.', `${MCP}/server/tools`, {
    'TOOL-010': ['INFO', 'The list of tools takes more than 20,000 tokens.', 'Shorten it, or offer fewer tools.'],
  }),
  ...because('Texts of a server can make a model act against its user.', POISONING, {
    'TOOL-020': [
      'WARNING',
      'A text orders a model to do something, in place of saying what a tool does.',
      'Read the marked text. Do not use the server if you cannot explain it.',
    ],
    'TOOL-021': [
      'WARNING',
      'A text has characters that people do not see.',
      'Remove them. Do not use the server if you cannot explain them.',
    ],
    'TOOL-022': [
      'WARNING',
      'The name of a tool is taken for a tool of the client, or for another tool.',
      'Give it a name of its own.',
    ],
  }),
  ...because('Clients cannot offer skills that they cannot list.', SKILLS, {
    'SKL-001': [
      'WARNING',
      'The list of skills failed or is incomplete, or `resources` is not declared.',
      'Implement `skills/list`, and declare the capability `resources`.',
    ],
    'SKL-002': ['WARNING', 'The entry of a skill is wrong.', 'See the text, and the rules for entries.'],
    'SKL-003': ['WARNING', '`skills/get` does not return a listed skill.', 'Return each entry of the list.'],
  }),
  ...because('Clients must not load a skill whose files are missing or differ from their digests.', SKILLS, {
    'SKL-004': ['WARNING', 'A file of a skill cannot be read.', 'Serve each listed file by `resources/read`.'],
    'SKL-005': [
      'ERROR',
      'A file of a skill has another digest or size than listed.',
      'Compute digest and size from the bytes that are served.',
    ],
  }),
  ...because('Clients learn only from an error that a skill does not exist.', SKILLS, {
    'SKL-006': ['INFO', '`skills/get` of an unknown skill gets a result.', 'Answer the error -32602.'],
  }),
  ...because('Clients read the card before they connect, to know where and how.', CARDS, {
    'CARD-001': ['WARNING', 'The Server Card lacks fields, or has wrong ones.', 'See the text for the fields.'],
    'CARD-002': [
      'WARNING',
      'The Server Card does not name this endpoint.',
      'List the URL of the endpoint in `remotes`, or remove the card here.',
    ],
    'CARD-003': [
      'WARNING',
      'The Server Card claims other protocol versions than the server.',
      'List the versions that the server speaks.',
    ],
    'CARD-004': ['INFO', 'The Server Card says something else than the server.', 'Make both from one source.'],
    'CARD-005': [
      'INFO',
      'A card or catalog has another Content-Type than specified, or browsers cannot read it.',
      'Send the media type of the text, and `Access-Control-Allow-Origin: *`.',
    ],
    'CARD-006': ['WARNING', 'The AI Catalog is wrong, or names a card that does not exist.', 'Correct the entries.'],
  }),
};
