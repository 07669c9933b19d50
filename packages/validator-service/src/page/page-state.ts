import type { Assessment } from '@schemakit/validator';

/** A finished assessment that the service keeps. */
export interface KeptReport {
  id: string;
  /** The address that was checked, without credentials. */
  url: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  assessment: Assessment;
}

export type Language = 'en' | 'de';

/** What the server tells the page. It stands in the document as JSON, so that the browser takes up where the server's HTML ends. */
export type PageState = {
  language: Language;
  /** The address has `?lang=`. Links keep it then, else the reader's browser decides. */
  isLanguageChosen?: boolean;
  /** The origin where people reach the service, for share links and badges. */
  publicUrl: string;
  /** Addresses to try with one click. */
  examples: readonly string[];
} & (
  | { view: 'home' /** What was typed into the plain form, and why it was refused. */; url?: string; problem?: string }
  | { view: 'report'; report: KeptReport }
  | { view: 'not-found' }
);
