import type { CodeEntry } from '../../findings/code-table.ts';

export type AppsCode = never;

/** Empty until the layer is written. */
export const appsCodes: Readonly<Record<AppsCode, CodeEntry>> = {};
