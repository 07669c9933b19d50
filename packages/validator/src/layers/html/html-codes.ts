import type { CodeEntry } from '../../findings/code-table.ts';

export type HtmlCode = never;

/** Empty until the layer is written. */
export const htmlCodes: Readonly<Record<HtmlCode, CodeEntry>> = {};
