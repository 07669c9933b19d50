import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Whether stdin and stderr are terminals: questions go to stderr. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export type Question = (text: string) => Promise<string>;

/** Asks several questions. Undefined if the user cancels one of them with Ctrl-C or Ctrl-D. */
export async function askAll<T>(questions: (question: Question) => Promise<T>): Promise<T | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Keeps lines that are typed ahead.
  const typed = lines[Symbol.asyncIterator]();
  const closed = once(lines, 'close').then(() => undefined);
  const question: Question = async (text) => {
    lines.setPrompt(`${text} `);
    lines.prompt();
    const { value, done } = await typed.next();
    return done ? new Promise<never>(() => {}) : value.trim();
  };
  try {
    const answers = await Promise.race([questions(question), closed]);
    if (answers === undefined) process.stderr.write('\n');
    return answers;
  } finally {
    lines.close();
  }
}

/** Asks until the answer is one of the words, or the beginning of one. Enter takes the first. */
export async function choose<Word extends string>(
  question: Question,
  text: string,
  words: readonly [Word, ...Word[]],
): Promise<Word> {
  const answer = (await question(text)).toLowerCase();
  return (
    words.find((word) => word.startsWith(answer)) ?? choose(question, `Answer ${words.join(' or ')}. ${text}`, words)
  );
}

/** Asks a yes/no question. Any answer but yes, and the end of the input, mean no. */
export async function ask(text: string): Promise<boolean> {
  const answer = await askAll((question) => question(`${text} [y/N]`));
  return /^y(es)?$/i.test(answer ?? '');
}
