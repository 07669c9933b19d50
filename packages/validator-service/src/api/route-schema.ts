import { problem } from './schemas.ts';

const content = { 'application/problem+json': { schema: problem } };

export const problemAnswers: Record<string, object> = {
  '4xx': { description: 'A refusal (RFC 9457)', content },
  '5xx': { description: 'A failure (RFC 9457)', content },
};

/** The answers of a route: its own, and problems. */
export function answers(schema: object, type: string = 'application/json'): Record<string, object> {
  return { 200: { description: 'The answer', content: { [type]: { schema } } }, ...problemAnswers };
}
