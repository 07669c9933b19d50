import { expect, test } from 'vitest';
import { parseSchema } from '../parse-schema.ts';
import { mainWith, parameterWith, toolWith } from './fixtures/rule-case.ts';

test('a file in the query of a GET is told to move to the body, whatever the encoding', () => {
  const hints: unknown[] = [];
  const parameters = [parameterWith({}, { primitive: 'file()' })];
  parseSchema(mainWith(toolWith({ encoding: 'multipart', parameters })), ({ code, hint }) => {
    if (code === 'VAL082') hints.push(hint);
  });
  expect(hints).toEqual([
    'Remove encoding, or use a method with a body, such as POST.',
    "Write location: 'body', and encoding: 'multipart' or 'binary', to send the file itself.",
  ]);
});
