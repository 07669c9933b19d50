import type { AnyNode } from 'acorn';

/** Thrown inside the folder, and caught by it, where a value cannot be read from the text. */
export class NotFoldable extends Error {
  /** `invalid`: running the module would not give data either. */
  readonly outcome: 'needs-evaluation' | 'invalid';
  readonly offset: number;

  constructor(outcome: 'needs-evaluation' | 'invalid', reason: string, node: AnyNode) {
    super(reason);
    this.outcome = outcome;
    this.offset = node.start;
  }
}

/** The value depends on something that only running the module can tell. */
export function needsEvaluation(node: AnyNode, reason: string): never {
  throw new NotFoldable('needs-evaluation', reason, node);
}

/** Running the module would throw here. */
export function wouldThrow(node: AnyNode, reason: string): never {
  throw new NotFoldable('invalid', reason, node);
}
