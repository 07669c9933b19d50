import {
  choice,
  type Definition,
  type Field,
  list,
  map,
  named,
  type ObjectDefinition,
  type Shape,
  text,
  untyped,
} from './shape.ts';

const section = '2.5';
const inputs = named('HookInputs');
const texts: Shape = { ...map(text(), { key: 'name' }), words: 'object of text' };

function given(shape: Shape, about: string, { hidden = false }: { hidden?: boolean } = {}): Field {
  return { shape, about, required: true, ...(hidden && { hidden }) };
}

const serverParams = given(texts, 'Stand-ins for the secrets. They become the real values when a request leaves.', {
  hidden: true,
});

/** What every hook is given. */
const common = {
  params: given(inputs, 'What the caller passed, checked, with defaults.'),
  userParams: given(inputs, 'The same.'),
  routeName: given(text(), 'The name of the tool.'),
} satisfies Record<string, Field>;

function context(name: string, about: string, fields: Readonly<Record<string, Field>>): ObjectDefinition {
  return { kind: 'object', name, about, section, fields: { ...common, ...fields } };
}

const request = {
  url: given(text(), 'The URL with its query.'),
  method: given(text(), 'The HTTP method.'),
  headers: given(texts, 'The headers.'),
} satisfies Record<string, Field>;

const outcome = {
  status: given({ schema: {}, type: 'boolean', words: 'true or false' }, 'Whether the call succeeds. False fails it.'),
  messages: given({ ...list(text()), type: 'string[]' }, 'What callers are told when it fails.'),
  data: given(untyped, 'The answer.'),
} satisfies Record<string, Field>;

const postFields = {
  response: given(untyped, 'The answer: a value, or text.'),
  struct: given(named('AnswerStruct'), 'The request that was sent, and what came of it.'),
  payload: given(inputs, 'What the caller passed.'),
  phaseType: given(choice('post'), '`post`'),
} satisfies Record<string, Field>;

export const hookDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'HookInputs',
    about: 'What the caller passed, by the names of the inputs.',
    section,
    fields: {
      _allParams: {
        shape: map(untyped, { key: 'key' }),
        about: 'Every parameter by its key, fixed ones too. Not in `params`.',
        hidden: true,
      },
    },
    others: { name: 'input', shape: untyped },
  },
  context('PreRequestContext', 'What `preRequest` and `preProcess` are given: the planned request.', {
    struct: given(named('RequestStruct'), 'The planned request.'),
    payload: given(inputs, 'What the caller passed.'),
    phaseType: given(choice('pre'), '`pre`'),
    serverParams,
  }),
  context('ExecuteRequestContext', 'What `executeRequest` is given: it makes the request itself.', {
    struct: given(named('OutcomeStruct'), 'What is to come of the call.'),
    payload: given(named('ExecutePayload'), 'What the caller passed, and over it the planned request.'),
    phaseType: given(choice('execute'), '`execute`'),
    serverParams,
  }),
  context('PostRequestContext', 'What `postRequest` is given: the answer.', postFields),
  context('PostProcessContext', 'What `postProcess` is given: the answer, and its text.', {
    ...postFields,
    data: given(text(), 'The answer as text; only in `postProcess`.'),
  }),
  {
    kind: 'object',
    name: 'RequestStruct',
    about: 'A request. What a hook writes into it, or returns in a `struct`, replaces what was planned.',
    section,
    fields: {
      ...request,
      body: { shape: untyped, about: 'The body, if there is one. `null` removes it.' },
      queryParams: { shape: map(untyped), about: 'Written by a hook: replaces the query.' },
      requestBody: { shape: text(), about: 'Written by a hook: replaces the body, as text.' },
      status: {
        shape: outcome.status.shape,
        about: 'Written by a hook: `false` fails the call before anything is sent.',
      },
      serverParams,
      messages: {
        ...outcome.messages,
        about: 'Empty. What callers are told where the hook sets `status` to false.',
        hidden: true,
      },
    },
  },
  {
    kind: 'object',
    name: 'OutcomeStruct',
    about: 'What comes of a call, where a hook makes the request.',
    section,
    fields: {
      status: { ...outcome.status, about: 'True. False fails the call.' },
      messages: { ...outcome.messages, about: 'Empty. What callers are told when the call fails.' },
      data: { ...outcome.data, about: 'Null. The answer goes here.' },
      dataAsString: {
        shape: { schema: {}, type: 'string | null', words: 'text' },
        about: 'Null.',
        required: true,
      },
    },
  },
  {
    kind: 'object',
    name: 'ExecutePayload',
    about: 'The planned request, beside what the caller passed. Where the names meet, the request wins.',
    section,
    fields: {
      ...request,
      body: { shape: untyped, about: 'The body; null if there is none.' },
      userParams: given(inputs, 'What the caller passed.'),
      serverParams: { ...serverParams, hidden: false },
      _allParams: {
        shape: map(untyped, { key: 'key' }),
        about: 'Every parameter by its key, fixed ones too.',
        hidden: true,
      },
    },
    others: { name: 'input', shape: untyped },
  },
  {
    kind: 'object',
    name: 'AnswerStruct',
    about: 'The request that was sent, and what came of it.',
    section,
    fields: {
      ...request,
      body: { shape: untyped, about: 'The body, if there was one.' },
      status: { ...outcome.status, about: 'True. False fails the call.' },
      messages: { ...outcome.messages, about: 'Empty. What callers are told when the call fails.' },
      data: outcome.data,
      serverParams,
    },
  },
  {
    kind: 'object',
    name: 'RowsContext',
    about: 'What `postRequest` of a query is given: its rows.',
    section,
    fields: {
      response: given(untyped, 'The rows, as objects.'),
      struct: given({ schema: {}, type: '{ queryName: string; sql: string }', words: 'object' }, 'The query.'),
      payload: given(inputs, 'What the caller passed, checked, with defaults.'),
    },
  },
];
