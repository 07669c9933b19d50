import type { RunEvent } from '@schemakit/agent-server';
import { failureReason } from '../run-agent.ts';

/** A step of a run as its picture shows it. Times are milliseconds since the run began. */
export interface RunStep {
  start: number;
  end: number;
  kind: 'model' | 'tool' | 'pause' | 'gap' | 'note';
  label: string;
  /** What was sent, or what came of it. */
  detail: string;
  hasFailed: boolean;
  /** Whole texts, for those who want to see them. */
  texts: { title: string; text: string }[];
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** The steps of a run in time, from its journal. */
export function runSteps(events: readonly RunEvent[]): RunStep[] {
  const began = Date.parse(events[0]?.time ?? '');
  const at = ({ time }: RunEvent) => Date.parse(time) - began;
  const last = events.at(-1);
  const end = last === undefined ? 0 : at(last);
  return events.flatMap((event, index): RunStep[] => {
    const start = at(event);
    const next = events.slice(index + 1);
    const step = { start, end: start, detail: '', hasFailed: false, texts: [] };
    switch (event.type) {
      case 'round.started': {
        const answer = next.find((later) => later.type === 'model.answered' || later.type === 'round.started');
        return [{ ...step, end: answer ? at(answer) : end, kind: 'model', ...modelStep(event, answer) }];
      }
      case 'tool.called': {
        const isAnswer = (later: RunEvent): later is EventOf<'tool.answered'> =>
          later.type === 'tool.answered' && later.callId === event.callId;
        const answer = next.find(isAnswer);
        return [{ ...step, end: answer ? at(answer) : end, kind: 'tool', ...toolStep(event, answer) }];
      }
      case 'run.paused': {
        const goesOn = next[0];
        const label = 'waits for its user';
        return [{ ...step, end: goesOn ? at(goesOn) : end, kind: 'pause', label, detail: event.question.message }];
      }
      case 'run.resumed': {
        const before = events[index - 1];
        const label = 'interrupted, then went on';
        return [{ ...step, start: before ? at(before) : start, end: start, kind: 'gap', label }];
      }
      case 'answer.refused':
        return [{ ...step, kind: 'note', label: 'answer refused', detail: event.problems.join('; '), hasFailed: true }];
      case 'context.reduced':
        return [{ ...step, kind: 'note', label: event.summary ? 'context summarized' : 'long answers shortened' }];
      case 'run.ended': {
        const { status, reason = '' } = event;
        return [{ ...step, kind: 'note', label: `ended: ${status}`, detail: reason, hasFailed: status !== 'success' }];
      }
      default:
        return [];
    }
  });
}

function modelStep({ round, note }: EventOf<'round.started'>, answer: RunEvent | undefined) {
  const asked = note === undefined ? [] : [{ title: 'Told', text: note }];
  const label = `model, round ${round}`;
  if (answer?.type !== 'model.answered') return { label, detail: 'no answer', hasFailed: true, texts: asked };
  const { text, calls, usage } = answer;
  const names = calls.map(({ name }) => name).join(', ');
  const tokens = `${(usage.inputTokens + usage.outputTokens).toLocaleString('en')} tokens`;
  const said = text === '' ? [] : [{ title: 'Said', text }];
  const called = calls.map(({ name, args }) => ({
    title: `Called ${name}`,
    text: JSON.stringify(args, null, 2) ?? '',
  }));
  return {
    label,
    detail: names === '' ? tokens : `${tokens}, calls ${names}`,
    hasFailed: false,
    texts: [...asked, ...said, ...called],
  };
}

function toolStep({ tool, args }: EventOf<'tool.called'>, answer: EventOf<'tool.answered'> | undefined) {
  const sent = JSON.stringify(args);
  const asked = { title: 'Arguments', text: JSON.stringify(args, null, 2) };
  if (answer === undefined) return { label: tool, detail: `${sent}, no answer`, hasFailed: true, texts: [asked] };
  const { text, isError, whole, note } = answer;
  const told = note === undefined ? [] : [{ title: 'Told about it', text: note }];
  return {
    label: tool,
    detail: isError ? `${sent}: ${failureReason(text)}` : sent,
    hasFailed: isError,
    texts: [asked, { title: 'Answer', text: whole ?? text }, ...told],
  };
}
