import { printable } from '../printable.ts';
import { testLabel } from './select-tests.ts';
import type { TestOutcome } from './test-outcome.ts';

export interface TestProgress {
  onDone(outcome: TestOutcome): void;
  /** Takes the line away. */
  end(): void;
}

/** Shows a person at a terminal how far the tests are, in one line on stderr. */
export function openProgress(total: number): TestProgress {
  const { stderr } = process;
  let done = 0;
  let failed = 0;
  return {
    onDone(outcome) {
      done += 1;
      if (outcome.status === 'failed') failed += 1;
      if (!stderr.isTTY) return;
      const line = `${done}/${total}${failed === 0 ? '' : `, ${failed} failed`}  ${printable(testLabel(outcome.test))}`;
      stderr.write(`\r\u001B[K${line.slice(0, Math.max(1, (stderr.columns || 80) - 1))}`);
    },
    end() {
      if (stderr.isTTY && done > 0) stderr.write('\r\u001B[K');
    },
  };
}
