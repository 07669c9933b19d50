import type { LayerResult, Severity } from '@schemakit/validator';
import type { VNode } from 'preact';

export type ShownState = LayerResult['state'] | 'waiting';

/** Lines in a box of 20 by 20. Shape and text tell a state; colour only helps. */
const SHAPES: Readonly<Record<ShownState | Severity, string>> = {
  passed: 'M10 1.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17zM6 10.3l2.7 2.7L14 7.4',
  failed:
    'M3.5 1.5h13a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2zM6.8 6.8l6.4 6.4M13.2 6.8l-6.4 6.4',
  'not-detected': 'M10 1.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17zM6.5 10h7',
  'not-evaluated':
    'M10 1.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17zM7.6 7.7a2.4 2.4 0 1 1 3.5 2.1c-.8.5-1.1.9-1.1 1.7M10 14.2v.1',
  waiting: 'M10 1.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z',
  ERROR:
    'M3.5 1.5h13a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2zM6.8 6.8l6.4 6.4M13.2 6.8l-6.4 6.4',
  WARNING: 'M10 2l8.5 15.5h-17zM10 8v4.2M10 14.8v.1',
  INFO: 'M10 1.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17zM10 9.2v5M10 6v.1',
};

/** The shape of a state or a severity. The text beside it says the same. */
export function Shape({ of }: { of: ShownState | Severity }): VNode {
  return (
    <svg class={`shape is-${of}`} viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={SHAPES[of]} />
    </svg>
  );
}
