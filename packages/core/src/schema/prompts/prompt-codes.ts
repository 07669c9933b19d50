import { findingMaker, type MakeFinding } from '../finding.ts';

/** Rules about skills and prompts of schemas and agents, by code: how severe a breach is, and what the rule asks for. */
export const promptCodes = {
  SKL001: ['error', 'The file of a skill exports `skill`, an object that is read without running the file.'],
  SKL002: ['warning', 'A skill has a name of lowercase letters, digits and hyphens, at most 64 of them.'],
  SKL003: ['warning', 'A skill has the name under which it is listed, and no two have the same.'],
  SKL004: ['warning', '`version` of a skill is `schemakit-skill/1.0.0` or `flowmcp-skill/1.0.0`.'],
  SKL005: ['error', 'A skill needs and names tools that its schema or agent has.'],
  SKL006: ['error', 'A skill needs and names resources that its schema or agent has.'],
  SKL007: ['error', 'A skill has a description, of at most 1024 characters.'],
  SKL008: ['error', 'Each `{{input:…}}` of a skill is declared in its `input`.'],
  SKL009: ['error', 'An input of type enum, and no other, has `values`.'],
  SKL010: ['error', 'A skill has `content`.'],
  SKL011: ['warning', 'A skill says in `output` what it results in.'],
  SKL012: ['error', 'An input has a `key`: a camelCase word that no other input has.'],
  SKL013: ['warning', 'An input has the type string, number, boolean or enum.'],
  SKL014: ['warning', 'An input has a description.'],
  SKL015: ['warning', '`required` of an input is true or false.'],
  SKL016: ['error', 'A skill names a `.mjs` file inside the folder of its schema.'],
  SKL017: ['error', 'The file of a skill exists.'],
  SKL018: ['warning', 'A schema has at most 4 skills.'],
  SKL019: ['error', '`skills` is an object of `{ file }`, or an array of `{ name, file, description }`.'],
  SKL020: ['warning', 'A tool in the text of a skill is listed in `requires.tools`.'],
  SKL021: ['warning', 'A resource in the text of a skill is listed in `requires.resources`.'],
  SKL022: ['error', 'A skill names skills and prompts that its schema or agent has.'],
  SKL023: ['warning', 'A skill that another one names does not name further ones.'],
  SKL024: ['info', 'A tool that is listed in `requires.tools` is in the text.'],
  SKL025: ['info', 'A resource that is listed in `requires.resources` is in the text.'],
  SKL026: ['warning', '`requires` is an object of arrays of names, and `input` an array of objects.'],
  PRM001: ['warning', 'A prompt has the name under which it is listed, a camelCase word.'],
  PRM002: ['warning', '`version` of a prompt is `schemakit-prompt/1.0.0` or `flowmcp-prompt/1.0.0`.'],
  PRM003: [
    'warning',
    'A prompt has the `namespace` of its schema, or the `agent` that it belongs to, and not the other.',
  ],
  PRM004: ['warning', '`testedWith` belongs to prompts of agents, and is given there.'],
  PRM005: ['warning', '`testedWith` is `<provider>/<model id>`.'],
  PRM006: ['error', 'A prompt depends on tools that its schema or agent has.'],
  PRM007: ['error', 'A prompt refers to prompts and skills that its schema or agent has.'],
  PRM008: ['warning', 'A prompt that another one refers to does not refer to further ones.'],
  PRM009: ['error', 'A placeholder in a prompt names something that its schema or agent has.'],
  PRM010: ['error', 'The text of a prompt stands in its `contentFile`, as `content` or `prompt.content`.'],
  PRM011: ['error', 'A prompt names a `.mjs` file inside the folder of its schema.'],
  PRM012: ['warning', 'A schema has at most 5 prompts.'],
  PRM013: ['warning', '`dependsOn` and `references` are arrays of names.'],
  PRM014: ['warning', 'A prompt has a description, of at most 1024 characters.'],
  PRM015: ['info', 'One of the prompts of a schema is `about`.'],
  PRM016: ['error', '`prompts` is an object of `{ contentFile }`.'],
  PRM017: ['error', 'The file of a prompt exists.'],
  PRM018: ['warning', 'A server takes the prompts of a schema that is activated on it.'],
  PRM019: ['warning', 'No two prompts of a server have the same name.'],
} as const;

/** Codes of prompts on a server, which no file can break by itself. */
export type ServedPromptCode = 'PRM018' | 'PRM019';

/** Codes of rules about the files of skills and prompts. */
export type PromptCode = Exclude<keyof typeof promptCodes, ServedPromptCode>;

/** Makes a finding about a skill or a prompt. Its message ends with the place, because a schema has several. */
export const promptFinding: MakeFinding<PromptCode | ServedPromptCode> = findingMaker(promptCodes, {
  endsWithPath: true,
});
