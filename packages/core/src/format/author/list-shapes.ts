import {
  anything,
  boolean,
  choice,
  type Definition,
  either,
  filledText,
  list,
  named,
  type Shape,
  text,
} from './shape.ts';

const section = '2.6';

const filter: Shape = {
  schema: {
    type: 'object',
    properties: {
      key: { type: 'string', pattern: '\\S', description: 'The field to look at.' },
      field: { type: 'string', pattern: '\\S', description: 'The old name of `key`.', deprecated: true },
      exists: { type: 'boolean', description: 'Whether the field is there and not null.' },
      value: { description: 'The value that it has.' },
      in: { type: 'array', description: 'The values of which it has one.' },
    },
    allOf: [
      ['key', 'field'],
      ['exists', 'value', 'in'],
    ].map((names) => ({
      anyOf: names.map((name) => ({ required: [name] })),
    })),
  },
  type: '({ key: string } | { /** @deprecated Write `key`. */ field: string }) & ({ exists: boolean } | { value: unknown } | { in: readonly unknown[] })',
  words: '`{ key, exists: true }`, `{ key, value: … }` or `{ key, in: […] }`',
};

const version = '^\\d+\\.\\d+\\.\\d+([\\-+][0-9A-Za-z.+\\-]+)?$';

const condition: Shape = {
  schema: {
    type: 'object',
    properties: { field: { type: 'string', pattern: '\\S' }, value: {} },
    required: ['field', 'value'],
  },
  type: '{ field: string; value: unknown }',
  words: '`{ field, value }`',
};

export const listReferenceDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'SharedListReference',
    about: 'Names a shared list, and which of its entries to keep.',
    section,
    fields: {
      ref: {
        shape: filledText(),
        about: 'The name of the list, with its capitals. A list that is not there is an error.',
        missing: 'error',
        examples: ['evmChains'],
      },
      version: {
        shape: text({ pattern: version }),
        about: 'Its exact version; another one is an error. Any, when it is left out.',
        missing: 'warning',
        examples: ['1.0.0'],
      },
      filter: { shape: named('ListFilter', 'filter'), about: 'Which entries to keep. All, when it is left out.' },
    },
  },
  {
    kind: 'alias',
    name: 'ListFilter',
    about:
      'Keeps the entries whose field exists, equals a value, or is one of several. With `exists: true` an entry stays if the field is there and not null; with `exists: false`, the others stay.',
    section,
    shape: filter,
  },
];

const dependency: Shape = either(filledText(), named('SharedListDependency', '`{ ref, version, condition }`'));

export const listDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'SharedList',
    about: 'The export `list` of the file of a shared list: values that several schemas use.',
    section,
    fields: {
      meta: { shape: named('SharedListMeta'), about: 'What the list is.', missing: 'error' },
      entries: {
        shape: list(anything),
        about: 'The entries: objects with the declared fields, or plain values where no fields are declared.',
        missing: 'error',
      },
    },
  },
  {
    kind: 'object',
    name: 'SharedListMeta',
    about: 'What a shared list is.',
    section,
    fields: {
      name: {
        shape: text({ pattern: '^\\w+$' }),
        about: 'The name by which schemas reference it: letters, digits and underscores.',
        missing: 'error',
        examples: ['evmChains'],
      },
      version: { shape: text({ pattern: version }), about: 'Its version.', missing: 'warning', examples: ['1.0.0'] },
      description: { shape: text(), about: 'What is in it.' },
      fields: {
        shape: list(named('SharedListField', 'fields')),
        about: 'The fields of the entries.',
        missing: 'warning',
      },
      dependsOn: { shape: list(dependency), about: 'Other lists that it depends on, by name or with more.' },
    },
  },
  {
    kind: 'object',
    name: 'SharedListField',
    about: 'A field of the entries of a list.',
    section,
    fields: {
      key: { shape: filledText(), about: 'Its name.', missing: 'warning', required: true },
      type: {
        shape: choice('string', 'number', 'integer', 'boolean', 'array', 'object'),
        about: 'The type of its values.',
        missing: 'warning',
        required: true,
      },
      optional: { shape: boolean, about: 'Whether it may be null or absent.' },
      description: { shape: text(), about: 'What it is.' },
    },
  },
  {
    kind: 'object',
    name: 'SharedListDependency',
    about: 'Another list that a list depends on.',
    section,
    fields: {
      ref: { shape: filledText(), about: 'Its name.', missing: 'error' },
      version: { shape: text(), about: 'Its exact version. Any, when it is left out.', examples: ['1.0.0'] },
      condition: { shape: condition, about: 'The other list has an entry whose field has this value.' },
    },
  },
];
