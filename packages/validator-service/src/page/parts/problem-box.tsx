import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';

/** What the service refused, and why. */
export function ProblemBox({ text }: { text: string }): VNode {
  const { texts } = usePage();
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{texts.problems.heading}</strong>
      </p>
      <p dir="auto">{text}</p>
    </div>
  );
}
