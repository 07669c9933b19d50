import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A program of ours in a process of its own, asked by messages. */
export interface Worker {
  /** Sends a question and gives back the answer to it. One at a time. */
  ask<Answer>(question: object): Promise<Answer>;
  /** The first message that the program sent of its own accord. */
  hello<Answer>(): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Starts a program; it ends with this process, or when the worker is closed.
 *
 * @param serialization How messages travel: `advanced` does not escape what is in texts.
 */
export function forkWorker(
  program: URL,
  args: readonly string[] = [],
  { serialization = 'json' }: { serialization?: 'json' | 'advanced' } = {},
): Worker {
  const child = fork(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization });
  const ended = once(child, 'exit');
  return {
    hello: () => nextMessage(child),
    ask(question) {
      const answer = nextMessage(child);
      child.send(question);
      return answer as never;
    },
    async close() {
      child.kill();
      await ended;
    },
  };
}

async function nextMessage<Answer>(child: ChildProcess): Promise<Answer> {
  const stop = new AbortController();
  const { signal } = stop;
  const died = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${child.spawnfile} ${child.spawnargs.slice(1).join(' ')} ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), died]);
    return message as Answer;
  } finally {
    died.catch(() => {}); // What the race left behind: it is aborted next.
    stop.abort();
  }
}
