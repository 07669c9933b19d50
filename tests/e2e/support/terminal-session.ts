import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

/** A shell in a terminal, at which somebody types. */
export interface TerminalSession {
  /** Types a line and waits until the shell asks for the next one. */
  run(line: string, answers?: readonly Answer[]): Promise<{ status: number; screen: string }>;
  /** Types a line to what is running. */
  type(line: string): void;
  /** Waits for a text after what was seen last, and gives all up to its end. */
  see(text: string | RegExp): Promise<string>;
  /** Presses a key that ends what is running, by default the one that interrupts, and waits for the shell. */
  interrupt(key?: string): Promise<{ status: number; screen: string }>;
}

/** What is typed once a question is there. */
type Answer = readonly [question: string, text: string];

/** Long enough for a machine with much else to do; a text that does not come ends the session with what was there instead. */
const patience = 60_000;

const prompt = /\[(\d+)\] ready> $/;

/**
 * Starts a shell in a pseudo-terminal, with `schemakit` on its path. It ends with the test.
 *
 * @param options.env - Beside the environment of the tests.
 */
export async function openTerminal({
  cwd,
  env = {},
}: {
  cwd: string;
  env?: Record<string, string>;
}): Promise<TerminalSession> {
  const command = resolve('packages/cli/bin/schemakit.js');
  const bin = await temporaryFolder({ schemakit: `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n` });
  const child = spawn(
    'script',
    ['--quiet', '--return', '--command', `chmod +x '${bin}/schemakit'; exec sh -i`, '/dev/null'],
    {
      cwd,
      env: {
        ...process.env,
        TERM: 'dumb',
        NO_COLOR: '1',
        PATH: `${bin}:${process.env.PATH ?? ''}`,
        ...env,
      },
    },
  );
  const ended = once(child, 'close');
  onTestFinished(async () => {
    // With it goes its side of the terminal, and the shell with that.
    child.kill('SIGKILL');
    await ended;
  });
  const see = watch(child.stdout, ended);
  const untilPrompt = async () => {
    const screen = await see(prompt);
    const [, status] = prompt.exec(screen) ?? [];
    return { status: Number(status), screen: screen.replace(prompt, '') };
  };
  const type = (line: string) => void child.stdin.write(`${line}\n`);
  // Some shells take no prompt from the environment. What is echoed is not what the prompt becomes.
  type("PS1='[$?] ready> '");
  await untilPrompt();
  return {
    type,
    see,
    async run(line, answers = []) {
      type(line);
      let before = '';
      for (const [question, text] of answers) {
        before += await see(question);
        type(text);
      }
      const { status, screen } = await untilPrompt();
      return { status, screen: before + screen };
    },
    interrupt(key = '\u0003') {
      child.stdin.write(key);
      return untilPrompt();
    },
  };
}

/** Reads what the terminal shows, without what moves and colours. */
function watch(stream: NodeJS.ReadableStream, ended: Promise<unknown>): (text: string | RegExp) => Promise<string> {
  let unseen = '';
  let wake: () => void = () => {};
  let isOver = false;
  stream.setEncoding('utf8').on('data', (part: string) => {
    unseen += part;
    wake();
  });
  void ended.then(() => {
    isOver = true;
    wake();
  });
  return async (text) => {
    const deadline = AbortSignal.timeout(patience);
    deadline.addEventListener('abort', () => wake());
    for (;;) {
      const shown = stripVTControlCharacters(unseen).replaceAll('\r', '');
      const end = endOf(text, shown);
      if (end !== undefined) {
        // A prompt is the last that is there; other texts may have more behind them.
        unseen = shown.slice(end);
        return shown.slice(0, end);
      }
      if (isOver || deadline.aborted) throw new Error(`${text} was not shown, but: ${shown}`);
      await new Promise<void>((resolveWait) => {
        wake = resolveWait;
      });
    }
  };
}

function endOf(text: string | RegExp, shown: string): number | undefined {
  if (typeof text === 'string') {
    const start = shown.indexOf(text);
    return start === -1 ? undefined : start + text.length;
  }
  const match = text.exec(shown);
  return match === null ? undefined : match.index + match[0].length;
}
