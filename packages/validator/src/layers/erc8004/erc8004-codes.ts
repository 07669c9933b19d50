import type { CodeEntry } from '../../findings/code-table.ts';

export type Erc8004Code = never;

/** Empty until the layer is written. */
export const erc8004Codes: Readonly<Record<Erc8004Code, CodeEntry>> = {};
