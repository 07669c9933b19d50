export type Step = 'connect' | 'discover' | 'probe' | 'validate' | 'classify' | 'snapshot';

/** The six steps of `start`, in their order. Classifying comes after the probe, since five of the twelve facts are about payment. */
export const steps: readonly Step[] = ['connect', 'discover', 'probe', 'validate', 'classify', 'snapshot'];

/** Where `start` is. */
export interface Progress {
  step: Step;
  state: 'begin' | 'end';
}

/** Runs one step and tells about it. A listener that throws must not end the run. */
export async function inStep<T>(
  step: Step,
  onProgress: (progress: Progress) => void,
  run: () => Promise<T> | T,
): Promise<T> {
  tell(onProgress, { step, state: 'begin' });
  try {
    return await run();
  } finally {
    tell(onProgress, { step, state: 'end' });
  }
}

function tell(onProgress: (progress: Progress) => void, progress: Progress): void {
  try {
    onProgress(progress);
  } catch {
    // The listener's own affair.
  }
}
