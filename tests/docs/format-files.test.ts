import { expect, test } from 'vitest';
import { formatFiles } from '../../docs/format-files.ts';
import { executeRequestContext, postRequestContext, preRequestContext } from '../../packages/core/src/call/hooks.ts';
import { definitions } from '../../packages/core/src/format/author/definitions.ts';
import { type HookContext, openContext } from '../../packages/core/src/handlers/hook-context.ts';
import { readPage } from './markdown.ts';

const files = await formatFiles();

test.each([...files])(
  '%s is what the shapes of the format say (if not: npx node docs/generate-format.ts)',
  (path, text) => {
    expect(readPage(path)).toBe(text);
  },
);

const plan = { url: 'https://api.example.com/a', method: 'POST', headers: {}, body: {} };
const facts = { tool: 'getThing', values: { id: 1 }, allParams: { id: 1 }, serverParams: { KEY: 'token' } };

const contexts: readonly (readonly [name: string, context: HookContext, parts: Readonly<Record<string, string>>])[] = [
  ['PreRequestContext', preRequestContext(plan, facts), { struct: 'RequestStruct', payload: 'HookInputs' }],
  ['ExecuteRequestContext', executeRequestContext(plan, facts), { struct: 'OutcomeStruct', payload: 'ExecutePayload' }],
  ['PostRequestContext', postRequestContext(plan, facts, { data: 1 }), { struct: 'AnswerStruct' }],
  ['PostProcessContext', postRequestContext(plan, facts, { data: 1, raw: '1' }), { struct: 'AnswerStruct' }],
];

test.each(contexts)('%s has the fields that hooks are given', (name, context, parts) => {
  const given = openContext(context);
  expect(fieldsOf(given)).toEqual(describedFields(name));
  for (const [key, part] of Object.entries(parts)) {
    const { id: _, ...fields } = fieldsOf(given[key] as object);
    expect(fields, key).toEqual(describedFields(part));
  }
});

type Visibility = 'listed' | 'hidden';

function fieldsOf(value: object): Record<string, Visibility> {
  const names = Object.getOwnPropertyNames(value).sort();
  return Object.fromEntries(
    names.map((name) => [name, Object.prototype.propertyIsEnumerable.call(value, name) ? 'listed' : 'hidden']),
  );
}

/** The fields that are described, without those that only a hook writes. */
function describedFields(name: string): Record<string, Visibility> {
  const definition = definitions.find((candidate) => candidate.name === name);
  const fields = Object.entries(definition?.kind === 'object' ? definition.fields : {});
  const given = fields.filter(([, { about }]) => !about.startsWith('Written by a hook')).sort();
  return Object.fromEntries(given.map(([key, { hidden }]) => [key, hidden ? 'hidden' : 'listed']));
}
