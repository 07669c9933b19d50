import { headers } from './main-shapes.ts';
import { moduleFile } from './prompt-shapes.ts';
import {
  anything,
  count,
  type Definition,
  either,
  filledText,
  list,
  named,
  type Shape,
  template,
  text,
} from './shape.ts';
import { toolFields } from './tool-shapes.ts';

const section = '2.8';

/** The slash rule: null under an id, a definition under a name of the agent's own. */
function bySlash(own: Shape, { min }: { min?: number } = {}): Shape {
  return {
    schema: {
      type: 'object',
      patternProperties: { '/': { type: 'null' }, '^[^/]*$': own.schema },
      ...(min !== undefined && { minProperties: min }),
    },
    type: `{ [id: ${template(['', '/', ''])}]: null; [name: string]: ${own.type} | null }`,
    words: 'object',
  };
}

const skills: Shape = {
  schema: { type: 'object', patternProperties: { '/': false }, additionalProperties: { $ref: '#/$defs/AgentFile' } },
  type: '{ [skill: string]: AgentFile }',
  words: 'object',
};

const contentCheck: Shape = {
  schema: {
    type: 'object',
    properties: {
      field: { type: 'string', pattern: '\\S', description: 'Dotted path of a field of the answer.' },
      contains: { type: 'string', description: 'Text that its value contains.' },
      equals: { description: 'The value that it has.' },
      type: { type: 'string', description: 'The type of its value.' },
    },
    required: ['field'],
    anyOf: ['contains', 'equals', 'type'].map((kind) => ({ required: [kind] })),
  },
  type: '{ field: string } & ({ contains: string } | { equals: unknown } | { type: string })',
  words: '`{ field, contains }`, `{ field, equals }` or `{ field, type }`',
};

export const agentDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'AgentManifest',
    about: 'The export `agent` of an agent manifest.',
    section,
    fields: {
      name: {
        shape: text({ pattern: '^[a-z][a-z0-9\\-]*$' }),
        about: 'Lowercase letters, digits and hyphens; begins with a letter.',
        missing: 'error',
        examples: ['trip-planner'],
      },
      version: {
        shape: text({
          pattern: '^[a-z][a-z0-9\\-]*/3\\.0\\.0$',
          type: `'schemakit/3.0.0' | 'flowmcp/3.0.0' | ${template(['', '/3.0.0'])}`,
        }),
        about: 'The version of the format of manifests: `schemakit/3.0.0`.',
        missing: 'error',
        examples: ['schemakit/3.0.0'],
      },
      description: { shape: filledText(), about: 'What the agent can be asked.', missing: 'error' },
      model: {
        shape: text({ pattern: '^[^/\\s]+/\\S+$', type: template(['', '/', '']) }),
        about: 'The model, as `<provider>/<model id>`.',
        missing: 'error',
      },
      systemPrompt: { shape: filledText(), about: 'Who the agent is.', missing: 'error' },
      tools: {
        shape: bySlash(named('AgentTool'), { min: 1 }),
        about: 'At least one: null under the id of a tool of a schema, a definition under a name without a slash.',
        missing: 'error',
        examples: [{ 'tides/tool/getTides': null }],
      },
      prompts: {
        shape: bySlash(named('AgentFile')),
        about: 'How tools work: `{ file }` under a name, null under the id of a prompt of a schema.',
      },
      skills: { shape: skills, about: 'How tasks are done: `{ file }` under a name without a slash.' },
      resources: {
        shape: bySlash(named('Resource')),
        about: "Data of the agent's own, or null under the id of a resource of a schema.",
      },
      tests: { shape: list(named('AgentTest'), { min: 3 }), about: 'At least three.', missing: 'error' },
      sharedLists: { shape: list(filledText()), about: 'Names of lists.' },
      maxRounds: { shape: count, about: 'Most rounds with the model. Default 10.' },
      maxTokens: { shape: count, about: 'Most tokens of one answer of the model. Default 4096.' },
      inputSchema: {
        shape: {
          schema: { type: 'object', properties: { type: { const: 'object' } }, required: ['type'] },
          type: "{ type: 'object'; [keyword: string]: unknown }",
          words: 'JSON Schema',
        },
        about: 'JSON Schema of what callers of the agent pass.',
      },
      hash: {
        shape: text({ pattern: '^sha256:[0-9a-fA-F]{64}$', type: template(['sha256:', '']) }),
        about: 'Of its tools: `sha256:` and 64 hexadecimal digits.',
      },
      requiredServerParams: { shape: list(text()), about: 'Names of the secrets that inline tools use.' },
    },
  },
  {
    kind: 'object',
    name: 'AgentTool',
    about: "A tool of an agent's own.",
    section,
    fields: {
      ...toolFields,
      path: {
        shape: text({
          pattern: '^(/|$|[hH][tT][tT][pP][sS]?://)',
          type: ['/', 'https://', 'http://'].map((start) => template([start, ''])).join(' | '),
        }),
        about: 'Appended to `root`, or a whole URL. May hold placeholders.',
        missing: 'error',
      },
      root: {
        shape: text({ pattern: '\\S' }),
        about: 'Base URL of the API. Without it the tool cannot be called, unless `path` is a whole URL.',
        missing: 'warning',
      },
      headers: { shape: headers, about: 'Headers of its requests.' },
    },
  },
  {
    kind: 'object',
    name: 'AgentFile',
    about: 'The file of a prompt or a skill of an agent.',
    section,
    fields: {
      file: { shape: moduleFile, about: 'A path, relative to the folder of the manifest.', missing: 'error' },
    },
    others: { shape: anything },
  },
  {
    kind: 'object',
    name: 'AgentTest',
    about: 'A question for an agent, and what it must do.',
    section,
    fields: {
      _description: { shape: filledText(), about: 'What is tested.', missing: 'warning' },
      input: { shape: filledText(), about: 'What the agent is asked.', missing: 'error' },
      expectedTools: {
        shape: list(filledText(), { min: 1 }),
        about: 'The tools that it must call, no more and no less: ids, or names of inline tools.',
        missing: 'error',
      },
      expectedContent: {
        shape: list(either(filledText(), named('ContentCheck'))),
        about: 'What its answer must contain: text, without regard to case, or a field of a structured answer.',
      },
    },
    others: { shape: anything },
  },
  {
    kind: 'alias',
    name: 'ContentCheck',
    about: 'A check of one field of a structured answer.',
    section,
    shape: contentCheck,
  },
];
