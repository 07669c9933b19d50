import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { CallResult, ServedTool } from './catalog/tool-catalog.ts';

/** What happens to calls that may write when the client cannot ask its user: `ask` goes on, `required` refuses. */
export type ConfirmWrites = 'ask' | 'required';

/** How much of the arguments the user reads. */
const maxShown = 1000;
const question = 'confirm';

/**
 * Asks the client's user whether a tool may be called that is not `readOnlyHint: true` (MCP specification, Elicitation).
 * Returns undefined if the call may go on, else the question or the refusal.
 */
export function confirmWrite(
  { listing: { name, title, annotations } }: ServedTool,
  args: Readonly<Record<string, unknown>>,
  {
    mode,
    capabilities,
    responses,
  }: {
    mode: ConfirmWrites;
    capabilities: ClientCapabilities | undefined;
    /** The answers of the user, when the client repeats the call with them. */
    responses: Readonly<Record<string, unknown>> | undefined;
  },
): CallResult | InputRequiredResult | undefined {
  if (annotations?.readOnlyHint === true) return undefined;
  if (!canAsk(capabilities)) {
    if (mode === 'ask') return undefined;
    const reason = 'This server asks the user before such calls, and the client cannot ask (MCP elicitation).';
    const advice =
      'Use a client that can, or ask the operator of the server to change --confirm-writes (confirmWrites).';
    return refusal('CONFIRM_UNAVAILABLE', `${name} may change data, so it was not called. ${reason}\n${advice}`);
  }
  const answer = inputResponse(responses, question);
  if (answer.kind === 'missing') {
    const effect = annotations?.destructiveHint === false ? 'change' : 'change or delete';
    const shown = JSON.stringify(args, null, 2);
    const rest = shown.length > maxShown ? `\n… and ${shown.length - maxShown} more characters` : '';
    return inputRequired({
      inputRequests: {
        [question]: inputRequired.elicit({
          message: `Call ${name}? It may ${effect} data.\n\n${shown.slice(0, maxShown)}${rest}`,
          requestedSchema: {
            type: 'object',
            properties: { [question]: { type: 'boolean', title: `Yes, call ${title ?? name}` } },
            required: [question],
          },
        }),
      },
    });
  }
  if (answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.[question] === true) return undefined;
  const advice = 'Do not call it again unless the user asks for it.';
  return refusal('CONFIRM_DECLINED', `The user declined: ${name} was not called, and nothing was sent.\n${advice}`);
}

/** A form is what a client supports that names no mode. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function refusal(code: string, text: string): CallResult {
  return { content: [{ type: 'text', text: `${code}: ${text}` }], isError: true };
}
