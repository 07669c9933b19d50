import type { VNode } from 'preact';
import type { Call, Round } from './run-steps.ts';
import { seconds } from './seconds.ts';

/** A round: what the model said, and the tools that it called. */
export function RoundView({ round, isCurrent }: { round: Round; isCurrent: boolean }): VNode {
  const { number, isLast, durationMs, text, calls, notes } = round;
  return (
    <li class={isCurrent ? 'current' : undefined}>
      <h2>
        Round {number}
        {isLast && ', the last'}
        {durationMs === undefined ? (
          isCurrent && <span class="muted">asking the model…</span>
        ) : (
          <span class="took">{seconds(durationMs)}</span>
        )}
      </h2>
      {text !== '' && <p class="said">{text}</p>}
      {calls.length > 0 && (
        <ul class="calls">
          {calls.map((call) => (
            <CallView key={call.callId} call={call} />
          ))}
        </ul>
      )}
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </li>
  );
}

const states = { running: 'running', done: 'answered', failed: 'failed', skipped: 'answered from an earlier call' };

function CallView({ call: { tool, args, state, durationMs, text = '' } }: { call: Call }): VNode {
  const [line = ''] = text.trim().split('\n', 1);
  return (
    <li class={state}>
      <details>
        <summary>
          <code>{tool}</code>
          <span class="given">{argumentsText(args)}</span>
          <span class="unseen">{states[state]}</span>
          {durationMs !== undefined && <span class="took">{seconds(durationMs)}</span>}
          {state === 'failed' && <span class="why">{line}</span>}
        </summary>
        <pre>{JSON.stringify(args, null, 2)}</pre>
        {text !== '' && <pre>{text}</pre>}
      </details>
    </li>
  );
}

function argumentsText(args: unknown): string {
  return Object.entries(Object(args))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
