import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Prompt, type PromptArgument, parsePromptText } from '../schema/prompts/prompt.ts';
import { createMcpPrompts, type PromptNames, type PromptResult } from './prompts.ts';

function prompt(name: string, text: string, more: Partial<Prompt> = {}): Prompt {
  return {
    name,
    kind: 'skill',
    description: `About ${name}`,
    arguments: [],
    content: parsePromptText(text),
    references: [],
    ...more,
  };
}

const argument = (name: string, more: Partial<PromptArgument> = {}): PromptArgument => ({
  name,
  required: true,
  type: 'string',
  ...more,
});

/** Exposes one prompt of the schema `shop`. */
function expose(only: Prompt, options?: PromptNames) {
  const [exposed] = createMcpPrompts([{ namespace: 'shop', prompts: [only] }], options);
  if (exposed === undefined) throw new Error('nothing was exposed');
  return exposed;
}

function textsOf(result: PromptResult): string[] {
  if (!result.ok) throw new Error(result.findings.map(({ message }) => message).join());
  return result.messages.map(({ content }) => content.text);
}

function codesOf(result: PromptResult): string[] {
  return result.ok ? [] : result.findings.map(({ code, path }) => `${code} ${path}`);
}

describe('listing', () => {
  test('has name, title, description and arguments', () => {
    const speed = argument('speed', {
      type: 'enum',
      values: ['slow', 'fast'],
      description: 'How fast',
      required: false,
    });
    expect(expose(prompt('order-things', 'a', { arguments: [argument('item'), speed] })).listing).toEqual({
      name: 'shop__order-things',
      title: 'shop: order things',
      description: 'About order-things',
      arguments: [
        { name: 'item', required: true },
        { name: 'speed', required: false, description: 'How fast. One of "slow", "fast".' },
      ],
    });
    expect(expose(prompt('a', 'a', { description: '' })).listing).not.toHaveProperty('description');
  });

  test('has each name once, in any order of the schemas', () => {
    const one = {
      namespace: 'shop',
      file: 'a.mjs',
      prompts: [prompt('about', '1'), prompt('about', '2', { kind: 'prompt' })],
    };
    const two = { namespace: 'shop', file: 'b.mjs', prompts: [prompt('about', '3')] };
    const names = (sources: Parameters<typeof createMcpPrompts>[0]) =>
      createMcpPrompts(sources)
        .map(({ listing, get }) => [textsOf(get())[0], listing.name])
        .sort();
    const expected = [
      ['1', 'shop__about'],
      ['2', 'shop__about_2'],
      ['3', 'shop__about_3'],
    ];
    expect(names([one, two])).toEqual(expected);
    expect(names([two, one])).toEqual(expected);
  });
});

describe('text', () => {
  test('names tools, resources and prompts as clients know them', () => {
    const text =
      '{{tool:find}} {{tool:coins/tool/price}} {{tool:none}} {{resource:catalog}} {{resource:x}} {{skill:b}} {{prompt:b}}';
    const [exposed] = createMcpPrompts([{ namespace: 'shop', prompts: [prompt('a', text), prompt('b', 'B')] }], {
      toolName: (namespace, tool) => (tool === 'none' || tool.includes('/') ? undefined : `${namespace}__${tool}`),
      resourceName: (namespace, name) => (name === 'catalog' ? `schemakit://${namespace}/${name}` : undefined),
    });
    expect(exposed && textsOf(exposed.get())).toEqual([
      'shop__find coins__price none schemakit://shop/catalog x shop__b b',
    ]);
  });

  test('includes the prompts that it refers to, one level deep and each once', () => {
    const references = [
      { kind: 'skill', name: 'b' },
      { kind: 'skill', name: 'shop/skill/b' },
      { kind: 'prompt', name: 'coins/prompt/about' },
      { kind: 'skill', name: 'a' },
      { kind: 'prompt', name: 'none' },
    ] as const;
    const shop = [
      prompt('a', 'A {{input:item}}', { arguments: [argument('item')], references }),
      prompt('b', 'B {{input:item}} {{input:other}}', { references: [{ kind: 'skill', name: 'c' }] }),
      prompt('c', 'C'),
    ];
    const coins = [prompt('about', 'Coins {{tool:price}}', { kind: 'prompt' })];
    const [exposed] = createMcpPrompts(
      [
        { namespace: 'shop', prompts: shop },
        { namespace: 'coins', prompts: coins },
      ],
      { toolName: (namespace, tool) => `${namespace}__${tool}` },
    );
    expect(exposed && textsOf(exposed.get({ item: 'tea' }))).toEqual([
      'A tea',
      'B tea (not given)',
      'Coins coins__price',
    ]);
  });

  test('has the arguments of included prompts', () => {
    const about = prompt('about', 'Of {{input:region}} in {{input:unit}}', {
      kind: 'prompt',
      arguments: [argument('region'), argument('unit', { required: false, type: 'enum', values: ['m', 'km'] })],
    });
    const second = prompt('second', 'Near {{input:region}}', {
      arguments: [argument('region', { required: false, description: 'Where.' })],
      references: [{ kind: 'prompt', name: 'about' }],
    });
    const exposed = createMcpPrompts([{ namespace: 'peaks', prompts: [about, second] }])[1];
    expect(exposed?.listing.arguments).toEqual([
      { name: 'region', required: true, description: 'Where.' },
      { name: 'unit', required: false, description: 'One of "m", "km".' },
    ]);
    expect(exposed?.complete('unit', 'k')).toEqual(['km']);
    const got = exposed?.get({ region: 'Tyrol' });
    expect(got && textsOf(got)).toEqual(['Near Tyrol', 'Of Tyrol in (not given)']);
    const missing = exposed?.get({});
    expect(missing && codesOf(missing)).toEqual(['INP001 region']);
  });

  test('prefers the prompt of its own schema to those of other files of the namespace', () => {
    const sources = ['1', '2'].map((text) => ({
      namespace: 'shop',
      file: `${text}.mjs`,
      prompts: [prompt('a', 'A', { references: [{ kind: 'skill', name: 'b' }] }), prompt('b', text)],
    }));
    const exposed = createMcpPrompts(sources).filter((each) => each.prompt.name === 'a');
    expect(exposed.map(({ get }) => textsOf(get())[1])).toEqual(['1', '2']);
  });

  test('lists values without a placeholder, and marks missing optional ones', () => {
    const args = [argument('item'), argument('city', { required: false })];
    const exposed = expose(prompt('a', 'In {{input:city}}.\n', { arguments: args }));
    expect(textsOf(exposed.get({ item: 'tea' }))).toEqual(['In (not given).\n\nInput:\n- item: tea']);
    expect(textsOf(exposed.get({ item: 'tea', city: '' }))[0]).toContain('In (not given).');
  });

  test('is not searched for placeholders in values of the caller', () => {
    const exposed = expose(
      prompt('a', '<{{input:item}}|{{input:other}}>', { arguments: [argument('item'), argument('other')] }),
      {
        toolName: () => 'SEEN',
      },
    );
    const item = '{{tool:find}} {{input:other}} [[other]] $& $1 $$';
    expect(textsOf(exposed.get({ item, other: '{{input:item}}' }))).toEqual([`<${item}|{{input:item}}>`]);
  });

  test('contains any values literally and changes nothing else', () => {
    const names = ['item', 'constructor', '__proto__', 'unplaced'] as const;
    const exposed = expose(
      prompt('a', 'A {{input:item}} B {{input:constructor}} C {{input:__proto__}}', {
        arguments: names.map((name) => argument(name)),
      }),
    );
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('{{input:item}}', '$&', '}}', '__proto__'));
    fc.assert(
      fc.property(value, value, value, value, (item, built, proto, unplaced) => {
        const values = [item, built, proto, unplaced];
        const args = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const [text] = textsOf(exposed.get(args));
        const body = `A ${item} B ${built} C ${proto}`.trimEnd();
        expect(text).toBe(`${body}\n\nInput:\n- unplaced: ${unplaced}`);
      }),
    );
  });
});

describe('arguments', () => {
  const exposed = expose(
    prompt('a', '{{input:item}} {{input:count}} {{input:speed}} {{input:gift}}', {
      arguments: [
        argument('item'),
        argument('count', { type: 'number', required: false }),
        argument('speed', { type: 'enum', values: ['slow', 'Slower', 'fast'], required: false }),
        argument('gift', { type: 'boolean', required: false }),
      ],
    }),
  );

  test('are accepted as clients send them, all as text', () => {
    const args = { item: 'tea', count: '2.50', speed: 'slow', gift: 'true' };
    expect(textsOf(exposed.get(args))).toEqual(['tea 2.50 slow true']);
  });

  test('are named if they are missing', () => {
    for (const args of [undefined, null, {}, { count: '1' }])
      expect(codesOf(exposed.get(args))).toEqual(['INP001 item']);
    const result = exposed.get({});
    expect(result.ok ? '' : result.findings[0]?.message).toMatch(/item.*missing/);
  });

  test('named like a member of every object are still reported as missing', () => {
    const names = ['constructor', '__proto__', 'toString'];
    const hostile = expose(prompt('a', 'a', { arguments: names.map((name) => argument(name)) }));
    expect(codesOf(hostile.get({}))).toEqual(names.map((name) => `INP001 ${name}`));
  });

  test('are named if they are unknown, with the known ones', () => {
    const result = exposed.get({ item: 'tea', counts: '1' });
    expect(codesOf(result)).toEqual(['INP006 counts']);
    expect(result.ok ? '' : result.findings[0]?.message).toBe(
      '"counts": unknown to this prompt. Did you mean "count"?',
    );
    const hostile = JSON.parse('{"item":"tea","__proto__":"x","constructor":"y"}');
    expect(codesOf(exposed.get(hostile))).toEqual(['INP006 __proto__', 'INP006 constructor']);
  });

  test('are named if they have the wrong type', () => {
    expect(codesOf(exposed.get({ item: 'tea', count: 'two', speed: 'warp', gift: 'maybe' }))).toEqual([
      'INP002 count',
      'INP004 speed',
      'INP002 gift',
    ]);
    expect(codesOf(exposed.get({ item: { a: 1 } }))).toEqual(['INP002 item']);
    for (const args of ['tea', ['tea'], 1]) expect(codesOf(exposed.get(args))).toEqual(['INP007 ']);
  });

  test('are completed by the beginning of their values, in any case', () => {
    expect(exposed.complete('speed', 'SL')).toEqual(['slow', 'Slower']);
    expect(exposed.complete('speed', '')).toEqual(['slow', 'Slower', 'fast']);
    expect(exposed.complete('speed', 'x')).toEqual([]);
    expect(exposed.complete('gift', 't')).toEqual(['true']);
    for (const name of ['item', 'none', '__proto__', 'constructor']) expect(exposed.complete(name, '')).toEqual([]);
  });

  test('have at most a hundred completions', () => {
    const values = Array.from({ length: 150 }, (_, index) => `v${index}`);
    const many = expose(prompt('a', 'a', { arguments: [argument('v', { type: 'enum', values })] }));
    expect(many.complete('v', 'V')).toEqual(values.slice(0, 100));
  });
});
