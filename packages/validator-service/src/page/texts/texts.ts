import type { en } from './en.ts';

/** The labels of the page. Findings stay English: they are quoted, searched for, and handed to tools. */
export type Texts = typeof en;
