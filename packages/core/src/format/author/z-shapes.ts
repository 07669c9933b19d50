import {
  type AliasDefinition,
  type Field,
  filledText,
  list,
  named,
  type ObjectDefinition,
  type Shape,
  template,
  text,
} from './shape.ts';

const section = '2.3';

/** The primitives that stand for a single value, and what they take. */
const scalarPrimitives: Readonly<Record<string, string>> = {
  'string()': 'Text.',
  'number()': 'A number, also as text: `"5"` is 5.',
  'boolean()': '`true` or `false`, also as text.',
  'enum(…)': 'One of the values. Numbers and booleans count by their text, so `enum(1,5)` takes 1 and `"1"`.',
};

/** All primitives, and what they take. */
export const primitives: Readonly<Record<string, string>> = {
  ...scalarPrimitives,
  'array()': 'A list of anything that JSON can carry.',
  'object()': 'An object or a list of anything that JSON can carry.',
};

/** The options: for which primitives they are, and what they mean. */
export const options: Readonly<Record<string, readonly [primitives: string, meaning: string]>> = {
  'optional()': ['all', 'May be left out. So is `null`.'],
  'default(value)': ['all', 'The value when it is left out. Makes the input optional.'],
  'min(n)': ['`number`, `string`, `array`', 'Least value; for text and lists, least length.'],
  'max(n)': ['`number`, `string`, `array`', 'Largest value; for text and lists, largest length.'],
  'length(n)': ['`string`, `array`', 'The exact length.'],
  'regex(pattern)': [
    '`string`',
    'A pattern that is found in the text; anchor it with `^` and `$`. With or without slashes around it.',
  ],
  'describe(text)': ['all', 'What callers read about the input.'],
  'values(a,b)': [
    '`enum()`, `boolean()`, also `string()` and `number()`',
    'The values, in place of those in the primitive. `enum(a,b)` is another name for it.',
  ],
  $list: ['`enum()`', 'The values of a whole shared list.'],
};

/** The texts that a primitive may be. Blanks are ignored. */
function primitive(names: readonly string[]): Shape {
  const plain = names.filter((name) => !name.startsWith('enum')).map((name) => name.slice(0, -2));
  return text({
    pattern: `^\\s*((${plain.join('|')})\\s*\\(\\s*\\)|enum\\s*\\([\\s\\S]*\\))\\s*$`,
    type: [...plain.map((name) => `'${name}()'`), template(['enum(', ')'])].join(' | '),
    words: names.map((name) => `\`${name}\``).join(', '),
  });
}

const optionNames = [...Object.keys(options).flatMap((option) => /^\w+(?=\()/.exec(option) ?? []), 'enum'];

/** One option, or several with commas between them. */
const option: Shape = text({
  pattern: `^\\s*((${optionNames.join('|')})\\s*\\([\\s\\S]*\\)|\\$\\w+)\\s*$`,
  type: ["'optional()'", ...optionNames.map((name) => template([`${name}(`, ')'])), template(['$', ''])].join(' | '),
});

const optionsField: Field = {
  shape: list(named('ZOption', 'text')),
  about: 'Constraints, in any order. Write `[]` when there are none.',
  missing: 'warning',
  examples: [[], ['optional()'], ['min(1)', 'max(100)', 'default(10)']],
};

export const zDefinitions: readonly (ObjectDefinition | AliasDefinition)[] = [
  {
    kind: 'object',
    name: 'ZBlock',
    about: 'What callers may pass for a parameter of a tool.',
    section,
    fields: {
      primitive: {
        shape: named('ZPrimitive', 'text'),
        about: 'The type. The values of an enum need no quotes: `enum(m,ft)`.',
        missing: 'error',
        examples: ['string()', 'number()', 'boolean()', 'array()', 'object()', 'enum(a,b)', 'enum({{list:field}})'],
      },
      options: optionsField,
    },
  },
  {
    kind: 'object',
    name: 'ScalarZBlock',
    about: 'What callers may pass for a parameter of a query.',
    section,
    fields: {
      primitive: {
        shape: named('ScalarPrimitive', 'text'),
        about: 'The type. SQL takes no arrays and no objects.',
        missing: 'error',
        examples: ['string()', 'number()', 'boolean()', 'enum(a,b)'],
      },
      options: optionsField,
    },
  },
  {
    kind: 'alias',
    name: 'ZPrimitive',
    about: 'The type of a value: a call.',
    section,
    shape: primitive(Object.keys(primitives)),
  },
  {
    kind: 'alias',
    name: 'ScalarPrimitive',
    about: 'The type of a single value: a call.',
    section,
    shape: primitive(Object.keys(scalarPrimitives)),
  },
  {
    kind: 'alias',
    name: 'ZOption',
    about: 'A constraint: a call such as `min(1)`, or `$` and the name of a shared list.',
    section,
    shape: option,
  },
];

/** A parameter that two blocks describe; `position` differs between tools and queries. */
export function parameterDefinition({
  name,
  about,
  position,
  z,
}: {
  name: string;
  about: string;
  position: string;
  z: string;
}): ObjectDefinition {
  return {
    kind: 'object',
    name,
    about,
    section,
    fields: {
      position: { shape: named(position), about: 'Where the value goes.', missing: 'error' },
      z: { shape: named(z), about: 'What the value may be.', missing: 'error' },
      description: {
        shape: filledText(),
        about: 'Text for callers. `describe(…)` in `z.options` does the same.',
      },
    },
  };
}
