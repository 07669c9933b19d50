import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { ClientContext } from '@schemakit/server';
import type { UserAnswer } from '../run/built-in-tools.ts';
import type { Question } from '../run/events.ts';
import { questionSchema } from '../run/question.ts';

/** A question as requests to the client (MCP elicitation). */
export function elicit(
  question: Question,
  key = 'answer',
): Parameters<typeof inputRequired>[0]['inputRequests'] & object {
  const params = { message: question.message, requestedSchema: questionSchema(question) } as Parameters<
    typeof inputRequired.elicit
  >[0];
  return { [key]: inputRequired.elicit(params) };
}

/** What the user answered to {@link elicit}. */
export function answerOf(responses: ClientContext['inputResponses'], key = 'answer'): UserAnswer {
  const answer = inputResponse(responses, key);
  if (answer.kind !== 'elicit') return { action: 'cancel' };
  return answer.action === 'accept' ? { action: 'accept', content: answer.content } : { action: answer.action };
}

/** Whether a client can ask its user. A form is what a client supports that names no mode. */
export function canElicit({ capabilities }: ClientContext): boolean {
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
