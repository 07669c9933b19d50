import { APICallError } from 'ai';
import { expect, it } from 'vitest';
import { isTooLong, modelProblem } from './model-problem.ts';

const refusal = (message: string, statusCode = 400) =>
  new APICallError({ message, statusCode, url: 'http://127.0.0.1:1/v1/messages', requestBodyValues: {} });

it.each([
  'prompt is too long: 214000 tokens > 200000 maximum',
  "This model's maximum context length is 128000 tokens.",
  'The input token count exceeds the maximum: input is too long for requested model.',
])('knows a refusal for its length: %s', (message) => {
  expect(isTooLong(refusal(message))).toBe(true);
});

it('takes other refusals for what they are', () => {
  expect(isTooLong(refusal('messages: at least one message is required'))).toBe(false);
  expect(isTooLong(refusal('prompt is too long', 500))).toBe(false);
  expect(modelProblem(refusal('Not Found', 404))).toBe(
    'The request to the model at http://127.0.0.1:1/v1/messages failed (status 404): Not Found',
  );
});
