import type { CodeEntry } from '../../findings/code-table.ts';

export type HttpCode = never;

/** Empty until the layer is written. */
export const httpCodes: Readonly<Record<HttpCode, CodeEntry>> = {};
