import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePromptText } from './prompt.ts';
import { agentScope, promptTargets, schemaScope } from './prompt-targets.ts';

describe('parsePromptText', () => {
  test('splits text at each kind of placeholder', () => {
    const kinds = ['tool', 'resource', 'skill', 'prompt', 'input'] as const;
    for (const kind of kinds) {
      expect(parsePromptText(`a {{${kind}:x-y_z/w.v}} b`)).toEqual([
        { kind: 'text', text: 'a ' },
        { kind, name: 'x-y_z/w.v' },
        { kind: 'text', text: ' b' },
      ]);
    }
    expect(parsePromptText('{{ tool:x }}{{input:__proto__}}')).toEqual([
      { kind: 'tool', name: 'x' },
      { kind: 'input', name: '__proto__' },
    ]);
  });

  test('does not change other braces', () => {
    const text = '{{USER_PARAM}} {{tool:}} {{tool:a b}} {{evmChains:alias}} {tool:x} {{tool:x} {{constructor:x}}';
    expect(parsePromptText(text)).toEqual([{ kind: 'text', text }]);
  });

  test('suggests the placeholder that was probably meant', () => {
    const misspelt: string[][] = [];
    parsePromptText('{{tools:x}} {{evmChains:alias}}', { onMisspelt: (...names) => void misspelt.push(names) });
    expect(misspelt).toEqual([['{{tools:x}}', '{{tool:x}}']]);
  });

  test('reads double brackets only on request', () => {
    const text = '[[shop/tool/find]] [[shop/prompt/about]] [[shop/find]] [[a/b/c]] [[coin]]';
    expect(parsePromptText(text)).toEqual([{ kind: 'text', text }]);
    const parts = parsePromptText(text, { brackets: true });
    expect(parts.filter(({ kind }) => kind !== 'text')).toEqual([
      { kind: 'tool', name: 'shop/tool/find' },
      { kind: 'prompt', name: 'shop/prompt/about' },
      { kind: 'tool', name: 'shop/find' },
      { kind: 'tool', name: 'a/b/c' },
      { kind: 'input', name: 'coin' },
    ]);
  });

  test('treats links of Markdown and nested lists as text', () => {
    const text = '[[name]](https://example.com) [[1]] [[1, 2]] [[ -f file ]]';
    expect(parsePromptText(text, { brackets: true })).toEqual([{ kind: 'text', text }]);
  });

  test('loses nothing of any text', () => {
    const word = fc.constantFrom('{{', '}}', '[[', ']]', 'tool:', 'input:', 'x', '/', ' ', '(', '{', '\n');
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string())), fc.boolean(), (words, brackets) => {
        const text = words.join('');
        const parts = parsePromptText(text, { brackets });
        let at = 0;
        for (const part of parts) {
          const found = text.indexOf(part.kind === 'text' ? part.text : part.name, at);
          expect(found).toBeGreaterThanOrEqual(at);
          if (part.kind === 'text') at = found + part.text.length;
        }
        const texts = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
        if (parts.every(({ kind }) => kind === 'text')) expect(texts).toBe(text);
      }),
    );
  });

  test('reads a long hostile text in linear time', () => {
    const start = process.cpuUsage();
    for (const piece of ['{{tool:', '{{ ', '[[', '{{a', '[[a', '{{tool:x ']) {
      parsePromptText(piece.repeat(200_000), { brackets: true });
    }
    parsePromptText(`{{${'a'.repeat(1_000_000)}`);
    parsePromptText(`{{${' '.repeat(1_000_000)}`);
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });
});

describe('names in texts', () => {
  test('mean a name of the schema first, then one of the namespace in front', () => {
    const own = (name: string) => ({ namespace: 'shop', name });
    expect(promptTargets('find', 'tool', 'shop')).toEqual([own('find')]);
    expect(promptTargets('coins/tool/find', 'tool', 'shop')).toEqual([
      own('coins/tool/find'),
      { namespace: 'coins', name: 'find' },
    ]);
    expect(promptTargets('coins/find', 'tool', 'shop')[1]).toEqual({ namespace: 'coins', name: 'find' });
    expect(promptTargets('coins.find', 'tool', 'shop')[1]).toEqual({ namespace: 'coins', name: 'find' });
    expect(promptTargets('coins/skill/a', 'tool', 'shop')[1]).toEqual({ namespace: 'coins', name: 'skill/a' });
  });

  test('are resolved to where they are defined', () => {
    const none = new Set<string>();
    const names = { tool: new Set(['find', '/price/:id', 'v1.get']), resource: none, skill: none, prompt: none };
    const { placeOf } = schemaScope({ namespace: 'shop', names });
    const place = (name: string) => placeOf(name, 'tool');
    expect(['find', '/price/:id', 'v1.get', 'shop/tool/find', 'shop.find'].map(place)).toEqual(Array(5).fill('here'));
    expect(['shop/tool/buy', 'shop.buy'].map(place)).toEqual(['sibling', 'sibling']);
    expect(['coins/tool/find', 'coins.find'].map(place)).toEqual(['elsewhere', 'elsewhere']);
    expect(['buy', 'constructor', '__proto__'].map(place)).toEqual(Array(3).fill('nowhere'));
  });

  test('mean the same in any spelling', () => {
    const none = new Set<string>();
    const names = { tool: new Set(['find', 'v1.get']), resource: none, skill: none, prompt: none };
    const { keyOf } = schemaScope({ namespace: 'shop', names });
    const keys = (...written: string[]) => new Set(written.map((name) => keyOf(name, 'tool')));
    expect(keys('find', 'shop/tool/find', 'shop/find', 'shop.find').size).toBe(1);
    expect(keys('find', 'coins/find', 'v1.get', 'v1/get').size).toBe(4);
  });

  test('in an agent are its own parts, and ids that its manifest lists', () => {
    const scope = agentScope({
      tools: { 'tides/tool/getTides': null, 'ferries/list': null, plan: {} },
      resources: { 'tides/resource/harbours': null, notes: {} },
      prompts: { 'tides/prompt/about': null },
      skills: { 'plan-trip': { file: 'a.mjs' } },
    });
    const tool = (name: string) => scope.placeOf(name, 'tool');
    const here = [
      'plan',
      'tides/tool/getTides',
      'tides/getTides',
      'tides.getTides',
      'ferries/tool/list',
      'ferries/list',
    ];
    expect(here.map(tool)).toEqual(here.map(() => 'here'));
    expect(['tides/tool/other', 'coins/list'].map(tool)).toEqual(['unlisted', 'unlisted']);
    expect(['getTides', 'plan-trip', 'constructor', '__proto__'].map(tool)).toEqual(Array(4).fill('nowhere'));
    expect(scope.placeOf('tides/resource/harbours', 'resource')).toBe('here');
    expect(scope.placeOf('tides/tool/harbours', 'resource')).toBe('unlisted');
    expect(scope.placeOf('plan-trip', 'skill')).toBe('here');
    expect(scope.placeOf('tides/skill/plan-trip', 'skill')).toBe('nowhere');
    expect(scope.keyOf('tides/getTides', 'tool')).toBe(scope.keyOf('tides/tool/getTides', 'tool'));
  });
});
