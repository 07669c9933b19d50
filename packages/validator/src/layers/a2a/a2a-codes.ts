import type { CodeEntry } from '../../findings/code-table.ts';

export type A2aCode = never;

/** Empty until the layer is written. */
export const a2aCodes: Readonly<Record<A2aCode, CodeEntry>> = {};
