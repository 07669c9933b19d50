import type { CallResult, ServedCallOptions, ServedTool } from '@schemakit/server';
import { png } from './fixture-api.ts';

/** The suite's tool with JSON Schema 2020-12 (SEP-1613, SEP-2106): all of it must arrive at clients as it is written here. */
const jsonSchema202012 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const steps = async (_args: unknown, { onProgress = () => {} }: ServedCallOptions) => {
  for (const step of ['started', 'half done', 'done']) onProgress(step);
  return text('All steps are done.');
};

/**
 * The tools of the suite that no API answers.
 *
 * @param change Called by the tools that change what the server lists.
 */
export function fixtureTools(change: (what: 'tools' | 'prompts') => void): ServedTool[] {
  return [
    servedTool('test_multiple_content_types', async () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: png, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
        },
      ],
    })),
    servedTool('test_tool_with_progress', steps),
    // The suite reads the stream of this call: nothing but notices of progress and the result may be on it.
    servedTool('test_streaming_elicitation', steps),
    // The suite reads that this call sends no log messages to a client that asked for none.
    servedTool('test_logging_tool', steps),
    servedTool('test_trigger_tool_change', async () => {
      change('tools');
      return text('The list of tools is another one.');
    }),
    servedTool('test_trigger_prompt_change', async () => {
      change('prompts');
      return text('The list of prompts is another one.');
    }),
    servedTool('json_schema_2020_12_tool', async () => text('Taken.'), jsonSchema202012),
  ];
}

/** A tool that is written by hand, as users mount them beside those of schemas. */
export function servedTool(
  name: string,
  call: (args: unknown, options: ServedCallOptions) => Promise<CallResult>,
  inputSchema: ServedTool['listing']['inputSchema'] = { type: 'object', properties: {} },
): ServedTool {
  const title = name.replaceAll('_', ' ');
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  return {
    listing: { name, title, description: `Tool ${title}.`, inputSchema, annotations: { title, ...hints } },
    aliases: [],
    namespace: 'suite',
    tags: [],
    toolName: name,
    requiredServerParams: [],
    call: (args, options = {}) => call(args, options),
  };
}

function text(value: string): CallResult {
  return { content: [{ type: 'text', text: value }] };
}
