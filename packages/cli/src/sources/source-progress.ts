/** Where the work on a source is. */
export interface SourceProgress {
  /** `fetch`: files are fetched. `check`: schemas are loaded. `write`: files are put in place. */
  step: 'fetch' | 'check' | 'write';
  done: number;
  total: number;
  /** Path below the folder of the source. */
  file: string;
}

export type OnProgress = (progress: SourceProgress) => void;

/** Tells after each file how far a step is. A display that fails is no reason to stop. */
export function progressOf(
  step: SourceProgress['step'],
  { total, onProgress }: { total: number; onProgress: OnProgress | undefined },
): (file: string) => void {
  let done = 0;
  return (file) => {
    done += 1;
    try {
      onProgress?.({ step, done, total, file });
    } catch {
      // What was brought in so far counts.
    }
  };
}
