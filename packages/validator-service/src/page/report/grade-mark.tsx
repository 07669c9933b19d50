import type { VNode } from 'preact';

/** The letter in its shape. The heading beside says it in words. */
export function GradeMark({ letter, small = false }: { letter: string; small?: boolean }): VNode {
  return (
    <svg
      class={`grade is-${letter}${small ? ' is-small' : ''}`}
      viewBox="0 0 96 96"
      width={small ? 36 : 96}
      height={small ? 36 : 96}
      aria-hidden="true"
    >
      <rect x="2" y="2" width="92" height="92" rx="24" />
      <text x="48" y="66" text-anchor="middle" font-size="54">
        {letter}
      </text>
    </svg>
  );
}
