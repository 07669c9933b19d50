/** An event of a run, as far as the page reads it (`docs/agents.md`, Watch runs). */
export interface RunEvent {
  type: string;
  runId: string;
  seq: number;
  time: string;
  round?: number;
  forced?: boolean;
  text?: string;
  callId?: string;
  tool?: string;
  args?: unknown;
  isError?: boolean;
  isSent?: boolean;
  durationMs?: number;
  problems?: readonly string[];
  question?: { message: string };
  summary?: unknown;
  reason?: string;
}

export interface Call {
  callId: string;
  tool: string;
  args: unknown;
  state: 'running' | 'done' | 'failed' | 'skipped';
  durationMs?: number;
  /** What the model read. */
  text?: string;
}

export interface Round {
  number: number;
  isLast: boolean;
  durationMs?: number;
  /** What the model said beside its calls. */
  text: string;
  calls: Call[];
  /** What else happened in it. */
  notes: string[];
}

/** The rounds of a run, from its events. */
export function roundsOf(events: readonly RunEvent[]): Round[] {
  const rounds: Round[] = [];
  for (const event of events) {
    if (event.type === 'round.started') {
      const { round = rounds.length + 1, forced = false } = event;
      rounds.push({ number: round, isLast: forced, text: '', calls: [], notes: [] });
    }
    const current = rounds.at(-1);
    if (current !== undefined) addTo(current, event);
  }
  return rounds;
}

function addTo(round: Round, event: RunEvent): void {
  const { callId = '', tool = '', args, text = '', durationMs = 0, isError = false, isSent = true } = event;
  switch (event.type) {
    case 'model.answered':
      round.durationMs = durationMs;
      round.text = text;
      break;
    case 'tool.called':
      round.calls.push({ callId, tool, args, state: 'running' });
      break;
    case 'tool.answered': {
      const state = isError ? 'failed' : isSent ? 'done' : 'skipped';
      const call = round.calls.find((each) => each.callId === callId);
      if (call === undefined) round.calls.push({ callId, tool, args, state, durationMs, text });
      else Object.assign(call, { state, durationMs, text });
      break;
    }
    case 'answer.refused':
      round.notes.push(`The answer did not fit: ${event.problems?.join('; ') ?? ''}`);
      break;
    case 'context.reduced':
      round.notes.push(event.summary ? 'Earlier rounds were summarized.' : 'Older answers were shortened.');
      break;
    case 'run.paused':
      round.notes.push(`Asks: ${event.question?.message ?? ''}`);
      break;
    case 'run.resumed':
      round.notes.push('Went on after an interruption.');
      break;
    default:
  }
}
