import { findingMaker, type MakeFinding } from '../finding.ts';

/** Rules about agent manifests, by code: how severe a breach is, and what the rule asks for. */
export const agentCodes = {
  AGT001: ['error', '`name` has lowercase letters, digits and hyphens, and begins with a letter.'],
  AGT002: ['error', '`description` is given.'],
  AGT003: ['error', '`model` is `<provider>/<model id>`.'],
  AGT004: ['error', '`version` is `schemakit/3.0.0`, or `3.0.0` of another runtime of the format.'],
  AGT005: ['error', '`systemPrompt` is given.'],
  AGT006: ['error', '`tools` is an object with at least one tool.'],
  AGT007: ['error', 'A key with a slash in `tools`, `prompts` or `resources` is an id.'],
  AGT008: ['error', 'An agent has at least three tests.'],
  AGT009: ['error', 'A test has an `input`, the text that the agent is asked.'],
  AGT010: ['error', 'A test has `expectedTools`, an array with at least one tool.'],
  AGT011: ['error', 'An expected tool is the id of a tool, or the name of an inline one.'],
  AGT012: ['warning', 'Tests ask different things.'],
  AGT013: ['error', '`prompts` is an object: `{ file }` under a name, null under an id.'],
  AGT014: ['error', '`skills` is an object: `{ file }` under a name without a slash.'],
  AGT015: ['error', '`resources` is an object: a definition under a name, null under an id.'],
  AGT016: ['error', 'The file of a prompt or a skill is a `.mjs` file in the folder of the agent.'],
  AGT017: ['error', 'The file of a prompt exports `content`, or `prompt` with content.'],
  AGT018: ['error', 'The file of a skill exports `skill` with content.'],
  AGT019: ['error', 'An inline tool is an object with `method`, `path` and `description`.'],
  AGT020: ['error', 'What is named by an id is null: it is defined elsewhere.'],
  AGT021: ['warning', 'An expected tool is one that the agent has.'],
  AGT022: ['warning', '`expectedContent` is an array of text, or of `{ field }` with `contains`, `equals` or `type`.'],
  AGT023: ['warning', 'A test has a `_description`.'],
  AGT024: ['warning', '`sharedLists` is an array of names.'],
  AGT025: ['warning', '`maxRounds` and `maxTokens` are whole numbers above zero.'],
  AGT026: ['warning', '`inputSchema` is a JSON Schema of an object.'],
  AGT027: ['warning', '`hash` is `sha256:` and 64 hexadecimal digits.'],
  AGT028: ['error', 'The file of an agent exports `agent`.'],
  AGT029: ['error', 'An agent manifest is plain data: an object that JSON can carry.'],
  AGT030: ['warning', 'An inline tool has a `root`, or a `path` that is a whole URL.'],
  AGT031: ['error', '`requiredServerParams` is an array of names.'],
  AGT032: ['warning', 'No two ids in `tools` name the same tool.'],
} as const;

export type AgentCode = keyof typeof agentCodes;

/** Makes a finding of a rule about agents. */
export const agentFinding: MakeFinding<AgentCode> = findingMaker(agentCodes);
