import { expect, test } from 'vitest';
import { formatFiles } from '../../docs/format-files.ts';
import { executeRequestContext, postRequestContext, preRequestContext } from '../../packages/core/src/call/hooks.ts';
import { buildContext, type HookContext } from '../../packages/core/src/sandbox/hook-context.ts';
import type {
  AnswerStruct,
  ExecutePayload,
  ExecuteRequestContext,
  HookInputs,
  OutcomeStruct,
  PostProcessContext,
  PostRequestContext,
  PreRequestContext,
  RequestStruct,
} from '../../packages/core/src/schema/format/handler-types.ts';
import { readPage } from './markdown.ts';

const files = await formatFiles();

test.each([...files])(
  '%s is what the JSON Schema of the format says (if not: npx node docs/generate-format.ts)',
  (path, text) => {
    expect(readPage(path)).toBe(text);
  },
);

/** Hidden fields can be read and are not listed; some are there only when a hook writes them. */
type Visibility = 'listed' | 'hidden' | 'written by hooks';
/** Names every field of a type. */
type Fields<Type> = Readonly<
  Record<keyof { [Name in keyof Type as string extends Name ? never : Name]: true }, Visibility>
>;

const common = { params: 'listed', userParams: 'listed', routeName: 'listed', struct: 'listed' } as const;
const before = { ...common, payload: 'listed', phaseType: 'listed', serverParams: 'hidden' } as const;
const after = { ...common, payload: 'listed', phaseType: 'listed', response: 'listed' } as const;
const request = { url: 'listed', method: 'listed', headers: 'listed', body: 'listed' } as const;
const outcome = { status: 'listed', messages: 'listed', data: 'listed' } as const;

const described = {
  HookInputs: { _allParams: 'hidden' } satisfies Fields<HookInputs>,
  PreRequestContext: before satisfies Fields<PreRequestContext>,
  ExecuteRequestContext: before satisfies Fields<ExecuteRequestContext>,
  PostRequestContext: after satisfies Fields<PostRequestContext>,
  PostProcessContext: { ...after, data: 'listed' } satisfies Fields<PostProcessContext>,
  RequestStruct: {
    ...request,
    queryParams: 'written by hooks',
    requestBody: 'written by hooks',
    status: 'written by hooks',
    serverParams: 'hidden',
    messages: 'hidden',
  } satisfies Fields<RequestStruct>,
  OutcomeStruct: { ...outcome, dataAsString: 'listed' } satisfies Fields<OutcomeStruct>,
  ExecutePayload: {
    ...request,
    userParams: 'listed',
    serverParams: 'listed',
    _allParams: 'hidden',
  } satisfies Fields<ExecutePayload>,
  AnswerStruct: { ...request, ...outcome, serverParams: 'hidden' } satisfies Fields<AnswerStruct>,
} as const;

const plan = { url: 'https://api.example.com/a', method: 'POST', headers: {}, body: {} };
const facts = { tool: 'getThing', values: { id: 1 }, allParams: { id: 1 }, serverParams: { KEY: 'token' } };

type Name = keyof typeof described;

const contexts: readonly (readonly [name: Name, context: HookContext, parts: Readonly<Record<string, Name>>])[] = [
  ['PreRequestContext', preRequestContext(plan, facts), { struct: 'RequestStruct', payload: 'HookInputs' }],
  ['ExecuteRequestContext', executeRequestContext(plan, facts), { struct: 'OutcomeStruct', payload: 'ExecutePayload' }],
  ['PostRequestContext', postRequestContext(plan, facts, { data: 1 }), { struct: 'AnswerStruct' }],
  ['PostProcessContext', postRequestContext(plan, facts, { data: 1, raw: '1' }), { struct: 'AnswerStruct' }],
];

test.each(contexts)('%s has the fields that hooks are given', (name, context, parts) => {
  const given = buildContext(context);
  expect(fieldsOf(given)).toEqual(givenFields(name));
  for (const [key, part] of Object.entries(parts)) {
    const { id: _, ...fields } = fieldsOf(given[key] as object);
    expect(fields, key).toEqual(givenFields(part));
  }
});

test.each(['RequestStruct', 'OutcomeStruct', 'ExecutePayload', 'AnswerStruct'] as const)(
  'docs/format.md has a table of the fields of %s',
  (name) => {
    const tables = readPage('docs/format.md').matchAll(/^\| Field +\| Type +\| What it is +\|\n\|.*\n((?:\|.*\n)+)/gm);
    const rows = [...tables].map(([, body = '']) => [...body.matchAll(/^\| `(\w+)`(.*)$/gm)]);
    const fields = rows.map((table) => Object.fromEntries(table.map(([, field, text = '']) => [field, markIn(text)])));
    expect(fields).toContainEqual(described[name]);
  },
);

function markIn(text: string): Visibility {
  if (text.includes('Written by a hook')) return 'written by hooks';
  return text.includes('Hidden.') ? 'hidden' : 'listed';
}

function fieldsOf(value: object): Record<string, Visibility> {
  const names = Object.getOwnPropertyNames(value).sort();
  return Object.fromEntries(
    names.map((name) => [name, Object.prototype.propertyIsEnumerable.call(value, name) ? 'listed' : 'hidden']),
  );
}

/** The fields that are described, without those that only a hook writes. */
function givenFields(name: Name): Record<string, Visibility> {
  const fields: [string, Visibility][] = Object.entries(described[name]);
  return Object.fromEntries(fields.filter(([, visibility]) => visibility !== 'written by hooks'));
}
