import { expect, test } from 'vitest';
import { mainWith } from '../schema/rules/fixtures/rule-case.ts';
import { SchemaKit } from '../schemakit.ts';

test('createHandlers needs the names of the tools', () => {
  const { createHandlers } = SchemaKit as unknown as Record<string, (options?: object) => { findings: unknown[] }>;
  for (const options of [undefined, { handlersFn: () => ({}) }]) {
    expect(createHandlers?.(options)).toMatchObject({
      status: false,
      findings: [{ code: 'ARG001', path: 'routeNames' }],
      handlerMap: {},
    });
  }
  expect(SchemaKit.createHandlers({ handlersFn: null, routeNames: [] })).toMatchObject({ status: true });
});

test('createHandlers reports what never runs', () => {
  const handlersFn = () => ({ a: { preRequest: 5, postRequest: null, postrequest: () => {} }, b: 'none' });
  const { status, findings } = SchemaKit.createHandlers({ handlersFn, routeNames: ['a', 'b'] });
  expect({ status, findings }).toMatchObject({
    status: true,
    findings: [
      { code: 'VAL055', message: 'handlers.a.preRequest is 5, which is not a hook, so it never runs' },
      { code: 'VAL055', hint: 'Did you mean postRequest?' },
      { code: 'VAL055', path: 'handlers.b' },
    ],
  });
});

test('prepareServerTool with validate: false says why it has no tool of an invalid schema', () => {
  const schema = mainWith({ namespace: 'Shop' });
  const tool = SchemaKit.prepareServerTool({ schema, routeName: 'getThing', serverParams: {}, validate: false });
  expect(tool).toMatchObject({
    status: false,
    findings: [{ code: 'VAL091', severity: 'error', message: expect.stringContaining('only lowercase letters') }],
  });
});
