import { describe, expect, test } from 'vitest';
import { buildContext, trackStruct } from './hook-context.ts';

describe('buildContext', () => {
  test('has visible properties, and hidden ones that are not enumerable', () => {
    const opened = buildContext({
      visible: { struct: { url: 'https://api.example' }, payload: { userParams: { id: 1 } } },
      hidden: [
        { path: ['struct', 'serverParams'], value: { KEY: 'token' } },
        { path: ['payload', '_allParams'], value: { id: 1, KEY: 'token' } },
        { path: ['payload', 'userParams', '_allParams'], value: { id: 2 } },
      ],
    }) as { struct: { serverParams: unknown }; payload: { _allParams: unknown; userParams: { _allParams: unknown } } };

    expect(opened.struct.serverParams).toEqual({ KEY: 'token' });
    expect(opened.payload._allParams).toEqual({ id: 1, KEY: 'token' });
    expect(opened.payload.userParams._allParams).toEqual({ id: 2 });
    expect(JSON.stringify(opened)).toBe('{"struct":{"url":"https://api.example"},"payload":{"userParams":{"id":1}}}');
  });

  test('does not change its input', () => {
    const struct = Object.freeze({ url: 'x' });
    const visible = Object.freeze({ struct });
    buildContext({ visible, hidden: [{ path: ['struct', 'serverParams'], value: 1 }] });
    expect(Object.getOwnPropertyNames(struct)).toEqual(['url']);
  });

  test('can hide a property of the argument itself', () => {
    const opened = buildContext({ visible: { params: {} }, hidden: [{ path: ['serverParams'], value: 1 }] });
    expect(opened.serverParams).toBe(1);
    expect(Object.keys(opened)).toEqual(['params']);
  });

  test('skips a hidden property whose parent is not an object', () => {
    const opened = buildContext({
      visible: { struct: 'text', list: [] },
      hidden: [
        { path: ['struct', 'x'], value: 1 },
        { path: ['list', 'x'], value: 1 },
        { path: ['absent', 'x'], value: 1 },
        { path: [], value: 1 },
      ],
    });
    expect(opened).toEqual({ struct: 'text', list: [] });
  });

  test('reports which secrets are read, from every property with a token', () => {
    const read: string[] = [];
    const secrets = { KEY: 'token-1', PIN: 'token-2', NONE: '' };
    const all = { a: 'token-1', both: 'x token-2 token-1', deep: { list: ['token-2'] }, free: 'x', size: 1 };
    const hidden = [{ path: ['all'], value: all, watched: true }];
    const { all: opened } = buildContext({ visible: {}, secrets, hidden }, (name) => read.push(name)) as {
      all: Record<string, unknown>;
    };
    expect([opened.free, opened.size, read]).toEqual(['x', 1, []]);
    expect([opened.a, read]).toEqual(['token-1', ['KEY']]);
    expect([opened.both, read]).toEqual(['x token-2 token-1', ['KEY', 'KEY', 'PIN']]);
    expect(opened.deep).toEqual({ list: ['token-2'] });
    expect(read.slice(3)).toEqual(['PIN']);
    expect(Object.keys(opened)).toEqual(Object.keys(all));
  });

  test('lets hooks overwrite watched properties, and reports no more reads of them', () => {
    const read: string[] = [];
    const hidden = [{ path: ['all'], value: { a: 'token-1', free: 'x' }, watched: true }];
    const context = { visible: {}, secrets: { KEY: 'token-1' }, hidden };
    const { all } = buildContext(context, (name) => read.push(name)) as { all: Record<string, unknown> };
    all.a = 'mine';
    all.free = 'y';
    expect([{ ...all }, read]).toEqual([{ a: 'mine', free: 'y' }, []]);
  });

  test('can make a hidden property enumerable', () => {
    const hidden = [{ path: ['payload', 'serverParams'], value: { KEY: 'token' }, listed: true, watched: true }];
    const { payload } = buildContext({ visible: { payload: { url: 'x' } }, hidden });
    expect(JSON.stringify(payload)).toBe('{"url":"x","serverParams":{"KEY":"token"}}');
  });

  test('parses the response once for both of its paths', () => {
    const visible = { response: null, struct: { url: 'x', data: null }, routeName: 'a' };
    const { response, struct, ...rest } = buildContext({ visible, hidden: [], answerText: '{"a":[1]}' });
    expect([response, struct, rest]).toEqual([{ a: [1] }, { url: 'x', data: { a: [1] } }, { routeName: 'a' }]);
    expect(Reflect.get(Object(struct), 'data')).toBe(response);
    expect(buildContext({ visible, hidden: [], answerText: 'a,b' }).response).toBe('a,b');
  });
});

describe('trackStruct', () => {
  test('reports changed properties and added messages, even in a hidden list', () => {
    const struct: Record<string, unknown> = { url: 'x', method: 'GET', list: [] };
    Object.defineProperty(struct, 'messages', { value: [], enumerable: false, writable: true });
    const changes = trackStruct({ struct });
    expect(changes()).toEqual({});
    struct.url = 'y';
    (struct.messages as string[]).push('slow');
    expect(changes()).toEqual({ url: 'y', messages: ['slow'] });
  });

  test('reports messages that were replaced or added, not initial ones', () => {
    const struct: Record<string, unknown> = { messages: [] };
    const changes = trackStruct({ struct });
    expect(changes()).toEqual({});
    struct.messages = 'text';
    expect(changes()).toEqual({ messages: 'text' });
    expect(trackStruct({ struct: 5 })()).toEqual({});
  });
});
