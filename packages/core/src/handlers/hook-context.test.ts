import { describe, expect, test } from 'vitest';
import { openContext } from './hook-context.ts';

describe('openContext', () => {
  test('shows what is visible and lets hidden properties be read', () => {
    const opened = openContext({
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

  test('changes nothing that it was given', () => {
    const struct = Object.freeze({ url: 'x' });
    const visible = Object.freeze({ struct });
    openContext({ visible, hidden: [{ path: ['struct', 'serverParams'], value: 1 }] });
    expect(Object.getOwnPropertyNames(struct)).toEqual(['url']);
  });

  test('hides a property of the argument itself', () => {
    const opened = openContext({ visible: { params: {} }, hidden: [{ path: ['serverParams'], value: 1 }] });
    expect(opened.serverParams).toBe(1);
    expect(Object.keys(opened)).toEqual(['params']);
  });

  test('leaves out a hidden property whose parent is no object', () => {
    const opened = openContext({
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
});
