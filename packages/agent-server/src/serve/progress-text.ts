import type { RunEvent } from '../run/events.ts';

/**
 * What a person sees of an event while a run is going on; undefined for events that say nothing new.
 *
 * @example
 * const event = { type: 'tool.called', runId: '1', seq: 3, time: '2026-12-24T08:00:00Z', callId: 'c1', tool: 'tides__getTides', args: {}, effect: 'read' };
 * console.log(progressText(event)); // Calling tides__getTides.
 */
export function progressText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.started':
      return `${event.tool} is waiting to start.`;
    case 'run.resumed':
      return 'The run goes on after an interruption.';
    case 'run.paused':
      return `Asking the user: ${event.question.message}`;
    case 'round.started':
      return `Round ${event.round}${event.forced ? ', the last one' : ''}: asking the model.`;
    case 'tool.called':
      return `Calling ${event.tool}.`;
    case 'tool.answered':
      if (!event.isSent) return notSent(event);
      if (!event.isError) return `${event.tool} answered after ${event.durationMs} ms.`;
      return `${event.tool} failed after ${event.durationMs} ms: ${firstLine(event.text)}`;
    case 'answer.refused':
      return `The answer does not fit its schema, and the model corrects it: ${firstLine(event.problems.join('; '))}`;
    case 'context.reduced':
      return event.summary
        ? 'Earlier rounds were summarized to make room.'
        : 'Older answers were shortened to make room.';
    case 'run.ended':
      return event.status === 'success' ? 'Answer submitted.' : `Ended: ${event.reason ?? event.status}`;
    default:
      return undefined;
  }
}

function notSent({ tool, isError, text }: Extract<RunEvent, { type: 'tool.answered' }>): string {
  if (tool === 'ask_user' && !isError) return 'The user answered.';
  return isError ? `${tool} was not called: ${firstLine(text)}` : `${tool}: answered from an earlier call.`;
}

/** The first line of a text, at most 120 characters. */
function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
