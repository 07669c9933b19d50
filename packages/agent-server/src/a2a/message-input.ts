import type { Part } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../model/model.ts';
import { createValueCheck } from '../run/check-value.ts';

/** The media types of messages to agents. */
export const inputModes: string[] = ['text/plain', 'application/json'];

/**
 * The parts of a message as the object that a JSON Schema describes: data parts are its fields, and text is the one that is required.
 *
 * @throws RequestMalformedError or ContentTypeNotSupportedError for parts that do not fit.
 */
export function messageInput(parts: readonly Part[], schema: JsonObject): JsonObject {
  const texts: string[] = [];
  const input: Record<string, unknown> = {};
  for (const { content } of parts) {
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case !== 'data')
      throw new ContentTypeNotSupportedError(
        `A part is neither text nor data. Supported are: ${inputModes.join(', ')}.`,
      );
    else if (isObject(content.value)) Object.assign(input, content.value);
    else throw new RequestMalformedError('A data part must be an object.');
  }
  const field = textField(schema);
  const isTextAlone = texts.length > 0 && parts.length === texts.length;
  if (texts.length > 0 && field !== undefined)
    input[field.name] ??= field.isText ? texts.join('\n') : parsed(texts.join('\n'));
  const problems = isTextAlone && field === undefined ? ['text is not enough'] : createValueCheck(schema)(input);
  if (problems.length === 0) return input;
  const expected = `Send a data part that fits ${JSON.stringify(schema)}`;
  throw new RequestMalformedError(`The message does not fit: ${problems.join('; ')}. ${expected}`);
}

/** The only required property of a schema, which text can be. */
export function textField({ properties, required }: JsonObject): { name: string; isText: boolean } | undefined {
  const [name, other] = Array.isArray(required) ? required : Object.keys(Object(properties));
  if (typeof name !== 'string' || other !== undefined) return undefined;
  return { name, isText: Object(Object(properties)[name]).type === 'string' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
