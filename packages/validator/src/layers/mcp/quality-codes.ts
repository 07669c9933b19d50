import type { CodeEntry } from '../../findings/code-table.ts';

export type QualityCode = never;

/** Empty until tools, skills and server cards are checked. */
export const qualityCodes: Readonly<Record<QualityCode, CodeEntry>> = {};
