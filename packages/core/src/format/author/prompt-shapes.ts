import {
  anything,
  boolean,
  choice,
  type Definition,
  type Field,
  filledText,
  list,
  named,
  type Shape,
  template,
  text,
} from './shape.ts';

/** A `.mjs` file in the folder of the schema or below it. */
export const moduleFile: Shape = text({
  pattern: '^\\s*(?![\\\\/~]|[A-Za-z]:|(.*[\\\\/])?\\.\\.([\\\\/]|$)).*\\.mjs\\s*$',
  type: template(['', '.mjs']),
  words: 'text',
});

const section = '2.1';
const description: Field = { shape: filledText(), about: 'What people choose by, at most 1024 characters.' };

const promptNames = {
  dependsOn: { shape: list(text()), about: 'Names of tools that the text is about.' },
  references: {
    shape: list(text()),
    about: 'Other prompts that are handed out with it: `about`, or `coins/prompt/about` of elsewhere.',
  },
} satisfies Record<string, Field>;

const promptVersion: Field = {
  shape: choice('schemakit-prompt/1.0.0', 'flowmcp-prompt/1.0.0'),
  about: 'The version of the format of prompts.',
};

export const promptDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'SkillReference',
    about: 'A skill of the schema: a workflow for models.',
    section,
    fields: {
      file: {
        shape: moduleFile,
        about: 'The file, which exports `skill`. Its path is relative to the folder of the schema.',
        missing: 'error',
        examples: ['./skills/plan-hike.mjs'],
      },
      description,
      name: { shape: filledText(), about: 'The name, where `skills` is an array.' },
    },
  },
  {
    kind: 'object',
    name: 'Skill',
    about: 'The export `skill` of the file of a skill.',
    section,
    fields: {
      name: { shape: filledText(), about: 'The key in `main.skills`.', missing: 'warning' },
      version: {
        shape: choice('schemakit-skill/1.0.0', 'flowmcp-skill/1.0.0'),
        about: 'The version of the format of skills.',
        missing: 'warning',
      },
      description: { ...description, missing: 'error' },
      content: {
        shape: filledText(),
        about: 'The steps. `{{tool:name}}`, `{{resource:name}}` and `{{input:key}}` are filled in.',
        missing: 'error',
      },
      output: { shape: filledText(), about: 'What the skill results in.', missing: 'warning' },
      requires: { shape: named('SkillRequirements'), about: 'What the steps use.' },
      input: { shape: list(named('SkillInput', 'inputs')), about: 'What the user fills in.' },
      testedWith: { shape: anything, about: 'Accepted, not used.' },
    },
  },
  {
    kind: 'object',
    name: 'SkillRequirements',
    about: 'What the steps of a skill use.',
    section,
    fields: {
      tools: { shape: list(text()), about: 'Tools of the schema.' },
      resources: { shape: list(text()), about: 'Resources of the schema.' },
      external: { shape: list(text()), about: 'Programs from elsewhere, which are only named.' },
    },
  },
  {
    kind: 'object',
    name: 'SkillInput',
    about: 'Something that the user of a skill fills in.',
    section,
    fields: {
      key: { shape: filledText(), about: 'Its name, in camelCase.', missing: 'error' },
      type: { shape: choice('string', 'number', 'boolean', 'enum'), about: 'Its type.', missing: 'warning' },
      description: { shape: filledText(), about: 'What to fill in.', missing: 'warning' },
      required: { shape: boolean, about: 'Whether it must be filled in.', missing: 'warning' },
      values: { shape: list(text()), about: 'The values of an `enum`.' },
    },
  },
  {
    kind: 'object',
    name: 'PromptReference',
    about: 'A prompt of the schema: a text that explains its tools.',
    section,
    fields: {
      contentFile: {
        shape: moduleFile,
        about: 'The file, which exports `content`, or `prompt`. Its path is relative to the folder of the schema.',
        missing: 'error',
        isRuled: true,
        examples: ['./prompts/about.mjs'],
      },
      description: { ...description, missing: 'warning' },
      ...promptNames,
      name: { shape: text(), about: 'The key in `main.prompts`.' },
      namespace: { shape: text(), about: 'The namespace of the schema.' },
      version: promptVersion,
      content: {
        shape: filledText(),
        about: 'The text, in `main` itself.',
        deprecated: 'Write it into a file, and name that as `contentFile`.',
      },
    },
    rules: { anyOf: [{ required: ['contentFile'] }, { required: ['content'] }] },
  },
  {
    kind: 'object',
    name: 'Prompt',
    about:
      'The export `prompt` of the file of a prompt, of a schema or of an agent. What `main` says of the prompt goes before it.',
    section,
    fields: {
      content: {
        shape: filledText(),
        about: 'The text. `{{tool:name}}` and `{{input:key}}` are filled in.',
        missing: 'error',
        required: false,
      },
      contentFile: {
        shape: moduleFile,
        about: 'In place of `content`, in the prompts of agents: the file that exports it.',
      },
      description: { ...description, missing: 'warning' },
      ...promptNames,
      name: { shape: text(), about: 'Its name.' },
      version: promptVersion,
      namespace: { shape: text(), about: 'The namespace of the schema that it belongs to.' },
      agent: { shape: text(), about: 'The name of the agent that it belongs to.' },
      testedWith: { shape: text(), about: 'The model with which a prompt of an agent was tested.' },
    },
    others: { shape: anything },
  },
];
