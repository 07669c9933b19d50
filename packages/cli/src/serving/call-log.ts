import type { CallRecord } from '@schemakit/server';
import { styleText } from '../node-util.ts';
import { printable } from '../printable.ts';
import type { LogLevel } from './serving-flags.ts';

/** Writes what became of calls to stderr: lines for a person at a terminal, JSON for programs. Undefined where nothing is logged. */
export async function openCallLog(level: LogLevel): Promise<((call: CallRecord) => void) | undefined> {
  if (level === 'silent') return undefined;
  const isWanted = ({ outcome }: CallRecord) => level === 'info' || outcome === 'error';
  const write = process.stderr.isTTY === true ? writeLine : await jsonWriter();
  return (call) => {
    if (isWanted(call)) write(call);
  };
}

function writeLine({ tool, outcome, durationMs, error }: CallRecord): void {
  const colour = outcome === 'error' ? 'red' : 'green';
  const state = styleText(colour, outcome.padEnd(9), { stream: process.stderr });
  const time = new Date().toTimeString().slice(0, 8);
  const [reason = ''] = (error ?? '').split('\n', 1);
  process.stderr.write(`${time} ${state} ${tool} ${Math.round(durationMs)} ms${reason && `: ${printable(reason)}`}\n`);
}

async function jsonWriter(): Promise<(call: CallRecord) => void> {
  const { destination, pino } = await import('pino');
  const log = pino({ base: null, messageKey: 'message' }, destination({ fd: 2, sync: true }));
  return ({ outcome, durationMs, ...call }) => {
    const fields = { ...call, outcome, durationMs: Math.round(durationMs * 10) / 10 };
    if (outcome === 'error') log.error(fields, 'tool call failed');
    else log.info(fields, 'tool call');
  };
}
