/** What may still be done for a schema of a stranger: each step takes one, and below 0 everything ends. */
export interface Work {
  left: number;
}

/** Takes steps; false where none are left. */
export function spend(work: Work, steps: number = 1): boolean {
  work.left -= steps;
  return work.left >= 0;
}
