import type { LogLevel } from '../host-message.ts';
import { send } from './link.ts';
import { toPlainJson } from './plain-json.ts';
import { taskOfProgram } from './tasks.ts';

const MAX_TEXT_LENGTH = 2000;
const MAX_MESSAGES = 200;
const LEVELS: Record<string, LogLevel> = {
  debug: 'debug',
  trace: 'debug',
  log: 'info',
  info: 'info',
  dir: 'info',
  table: 'info',
  warn: 'warn',
  error: 'error',
};
const SILENT = [
  'assert',
  'clear',
  'count',
  'countReset',
  'group',
  'groupCollapsed',
  'groupEnd',
  'time',
  'timeEnd',
  'timeLog',
];

/** The console of one program: what it writes becomes log messages of the task, capped in number and length. */
export function consoleOf(key: string): Record<string, unknown> {
  const written = new WeakMap<object, number>();
  const write = (level: LogLevel, parts: readonly unknown[]): void => {
    const task = taskOfProgram(key);
    if (task === undefined) return;
    const count = (written.get(task) ?? 0) + 1;
    written.set(task, count);
    if (count <= MAX_MESSAGES) send({ type: 'log', id: task.id, level, text: textOf(parts) });
  };
  const methods = Object.entries(LEVELS).map(([name, level]) => [name, (...parts: unknown[]) => write(level, parts)]);
  return Object.fromEntries([...methods, ...SILENT.map((name) => [name, () => undefined])]);
}

function textOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part.slice(0, MAX_TEXT_LENGTH);
      try {
        return toPlainJson(part).slice(0, MAX_TEXT_LENGTH) || String(typeof part);
      } catch {
        return '[unreadable]';
      }
    })
    .join(' ')
    .slice(0, MAX_TEXT_LENGTH);
}
