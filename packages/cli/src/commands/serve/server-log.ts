import { styleText } from 'node:util';
import type { Finding } from '@schemakit/core';
import type { CallRecord, RefusalRecord } from '@schemakit/server';
import { writeFindings } from '../../output/print-findings.ts';
import { printable } from '../../output/terminal-text.ts';
import type { LogLevel } from './serving-flags.ts';

/** The log of a running server on stderr: text at a terminal, JSON lines otherwise. */
export interface ServerLog {
  /** Undefined if calls are not logged. */
  onCall: ((call: CallRecord) => void) | undefined;
  /** Undefined if refused requests are not logged. */
  onRefusal: ((refusal: RefusalRecord) => void) | undefined;
  say(message: string): void;
  complain(message: string): void;
  findings(findings: readonly Finding[]): void;
}

/** @param level Applies to calls and refused requests; other messages are always logged. */
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
  refusal({ status, method, path, reason, address = 'unknown address' }) {
    const state = styleText('red', 'refused  ', { stream: process.stderr });
    writeLine(`${timeOfDay()} ${state} ${printable(`${method} ${path} from ${address}: ${status} ${reason}`)}`);
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

/** Levels of pino, which many log viewers know. */
const levels = { info: 30, warn: 40, error: 50 } as const;

function jsonLines(): Lines {
  return {
    call({ outcome, durationMs, ...call }) {
      const fields = { ...call, outcome, durationMs: Math.round(durationMs * 10) / 10 };
      if (outcome === 'error') writeJson('error', 'tool call failed', fields);
      else writeJson('info', 'tool call', fields);
    },
    refusal: (refusal) => writeJson('warn', 'request refused', refusal),
    say: (message) => writeJson('info', message),
    complain: (message) => writeJson('error', message),
    findings(findings) {
      for (const { severity, message, ...fields } of findings) {
        writeJson(severity === 'error' ? 'error' : 'warn', message, fields);
      }
    },
  };
}

function writeJson(level: keyof typeof levels, message: string, fields: object = {}): void {
  writeLine(JSON.stringify({ level: levels[level], time: Date.now(), ...fields, message }));
}
