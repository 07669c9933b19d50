import type { Finding } from '../schema/finding.ts';
import { checkOutput, outputCodes } from '../schema/output/check-output.ts';
import { generateOutputSchema } from '../schema/output/generate-output-schema.ts';
import { type RuleExamples, testRules } from '../schema/rules/fixtures/rule-examples.ts';
import { writeOutputs } from './outputs/write-outputs.ts';

const inferring =
  (options: Parameters<typeof generateOutputSchema>[0]): (() => Finding[]) =>
  () =>
    generateOutputSchema(options).findings;
const nested = { a: { b: { c: 1 } } };

const writing =
  (tools: string): (() => Finding[]) =>
  () =>
    writeOutputs(`const tools = { getTides: {} };\nexport const main = { tools: ${tools} };`, {
      file: 'schema.mjs',
      outputs: { getTides: { mimeType: 'application/json', schema: { type: 'object' } } },
    }).findings;

const examples: RuleExamples<keyof typeof outputCodes> = {
  OUT001: [
    inferring({ response: '{}', mimeType: 'json' }),
    inferring({ response: '{}', mimeType: 'application/json' }),
  ],
  OUT002: [inferring({ response: '<p>' }), inferring({ response: '<p>', mimeType: 'text/html' })],
  OUT003: [inferring({ response: nested, maxLevels: 2 }), inferring({ response: nested, maxLevels: 4 })],
  OUT004: [
    () => checkOutput({ price: '5' }, { type: 'object', properties: { price: { type: 'number' } } }),
    () => checkOutput({ price: 5 }, { type: 'object', properties: { price: { type: 'number' } } }),
  ],
  OUT005: [writing('Object.fromEntries(Object.entries(tools))'), writing('{ getTides: {} }')],
};

testRules(examples, outputCodes);
