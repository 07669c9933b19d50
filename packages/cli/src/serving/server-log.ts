import { createRequire } from 'node:module';
import type { Finding } from '@schemakit/core';
import type { CallRecord, RefusalRecord } from '@schemakit/server';
import type { Logger } from 'pino';
import { styleText } from '../node-util.ts';
import { writeFindings } from '../print-findings.ts';
import { printable } from '../printable.ts';
import type { LogLevel } from './serving-flags.ts';

/** What a server says on stderr while it runs: lines for a person at a terminal, JSON for programs. */
export interface ServerLog {
  /** Takes what became of a call. Undefined where calls are not logged. */
  onCall: ((call: CallRecord) => void) | undefined;
  /** Takes each request that was refused. Undefined where nothing of that kind is logged. */
  onRefusal: ((refusal: RefusalRecord) => void) | undefined;
  say(message: string): void;
  complain(message: string): void;
  findings(findings: readonly Finding[]): void;
}

/** @param level Of calls and refused requests; all else is always said. */
export function openServerLog(level: LogLevel): ServerLog {
  const { call, refusal, ...log } = process.stderr.isTTY === true ? lines : jsonLines();
  const isWanted = ({ outcome }: CallRecord) => level === 'info' || outcome === 'error';
  const onCall = (record: CallRecord) => {
    if (isWanted(record)) call(record);
  };
  if (level === 'silent') return { ...log, onCall: undefined, onRefusal: undefined };
  return { ...log, onCall, onRefusal: refusal };
}

type Lines = Omit<ServerLog, 'onCall' | 'onRefusal'> & {
  call(record: CallRecord): void;
  refusal(record: RefusalRecord): void;
};

const lines: Lines = {
  call({ tool, outcome, durationMs, error }) {
    const colour = outcome === 'error' ? 'red' : 'green';
    const state = styleText(colour, outcome.padEnd(9), { stream: process.stderr });
    const [reason = ''] = (error ?? '').split('\n', 1);
    writeLine(`${timeOfDay()} ${state} ${tool} ${Math.round(durationMs)} ms${reason && `: ${printable(reason)}`}`);
  },
  refusal({ status, method, path, reason, address = 'somebody' }) {
    const state = styleText('red', 'refused  ', { stream: process.stderr });
    writeLine(`${timeOfDay()} ${state} ${printable(`${method} ${path} of ${address}: ${status} ${reason}`)}`);
  },
  say: writeLine,
  complain: (message) => writeLine(`schemakit: ${printable(message)}`),
  findings: writeFindings,
};

function timeOfDay(): string {
  return new Date().toTimeString().slice(0, 8);
}

function writeLine(text: string): void {
  process.stderr.write(`${text}\n`);
}

function jsonLines(): Lines {
  let opened: Logger | undefined;
  // A server over stdio says nothing as a rule, and starts faster without.
  const log = () => {
    opened ??= openPino();
    return opened;
  };
  return {
    call({ outcome, durationMs, ...call }) {
      const fields = { ...call, outcome, durationMs: Math.round(durationMs * 10) / 10 };
      if (outcome === 'error') log().error(fields, 'tool call failed');
      else log().info(fields, 'tool call');
    },
    refusal: (refusal) => log().warn(refusal, 'request refused'),
    say: (message) => log().info(message),
    complain: (message) => log().error(message),
    findings(findings) {
      for (const { severity, message, ...fields } of findings) {
        if (severity === 'error') log().error(fields, message);
        else log().warn(fields, message);
      }
    },
  };
}

function openPino(): Logger {
  const { destination, pino } = createRequire(import.meta.url)('pino') as typeof import('pino');
  return pino({ base: null, messageKey: 'message' }, destination({ fd: 2, sync: true }));
}
