/** Only an `ERROR` makes `status` false. */
export type Severity = 'ERROR' | 'WARNING' | 'INFO';

export interface CodeEntry {
  severity: Severity;
  meaning: string;
  /** What to do. */
  fix: string;
  /** Why it matters. */
  why: string;
  /** The rule: a URL, or a page of this project's docs. */
  source: string;
}

/** Rows of a table of codes that matter for the same reason and follow from the same document. */
export function because<K extends string>(
  why: string,
  source: string,
  rows: Readonly<Record<K, readonly [severity: Severity, meaning: string, fix: string]>>,
): Record<K, CodeEntry> {
  const entries = Object.entries<readonly [Severity, string, string]>(rows).map(
    ([code, [severity, meaning, fix]]): [string, CodeEntry] => [code, { severity, meaning, fix, why, source }],
  );
  return Object.fromEntries(entries) as Record<K, CodeEntry>;
}
