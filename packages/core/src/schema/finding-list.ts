import type { Finding, Report, Severity } from './finding.ts';
import { ruleFinding } from './finding-codes.ts';

/** More than anybody reads; a program that writes a schema can make as many as the file has bytes. */
export const maxFindings = 1000;

/** Rules that have found so much are stopped: what they would still find takes time and helps nobody. */
const stopsAt = 2 * maxFindings;

/** Takes findings and keeps at most so many: errors before warnings, warnings before notes, each in their order. */
export interface FindingList {
  add(finding: Finding): void;
  /** Makes the finding only if it is kept: what costs, such as its line, is spared for the others. */
  addOf(severity: Severity, make: () => Finding): void;
  /** What was kept, in the order in which it came. The last one tells how many were left out, if any were. */
  toArray(): Finding[];
}

const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** Makes an empty list. Memory is bounded by `limit`, however many findings it is given. */
export function createFindingList(limit: number = maxFindings): FindingList {
  const kept: Finding[] = [];
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  let omitted = 0;

  function addOf(severity: Severity, make: () => Finding): void {
    if (counts[severity] < limit) {
      kept.push(make());
      counts[severity] += 1;
    } else omitted += 1;
  }

  return {
    addOf,
    add(finding) {
      // The end of another list: its count goes on in that of this one.
      if (finding.omitted === undefined) addOf(finding.severity, () => finding);
      else omitted += finding.omitted;
    },
    toArray() {
      const findings = kept.length > limit ? mostSevere(kept, limit) : kept.slice();
      const rest = omitted + kept.length - findings.length;
      if (rest > 0) findings.push(restOf(rest));
      return findings;
    },
  };
}

function mostSevere(findings: readonly Finding[], limit: number): Finding[] {
  const bySeverity = Map.groupBy(findings.keys(), (at) => findings[at]?.severity);
  const taken = new Set(severities.flatMap((severity) => bySeverity.get(severity) ?? []).slice(0, limit));
  return findings.filter((_, at) => taken.has(at));
}

/** Cuts a list of findings that is too long for people. */
export function limitFindings(findings: Iterable<Finding>, limit: number = maxFindings): Finding[] {
  const list = createFindingList(limit);
  for (const finding of findings) list.add(finding);
  return list.toArray();
}

/**
 * Runs rules and puts what they find on a list. Where that is far more than anybody reads, they are stopped with an error,
 * and there is no result.
 */
export function collectFindings<T>(list: Pick<FindingList, 'add'>, rules: (report: Report) => T): T | undefined {
  let count = 0;
  try {
    return rules((finding) => {
      count += 1;
      if (count > stopsAt) throw new TooManyFindings();
      list.add(finding);
    });
  } catch (error) {
    if (!(error instanceof TooManyFindings)) throw error;
    const message = `checking stopped after ${stopsAt} findings`;
    list.add(
      ruleFinding('VAL092', '', message, { severity: 'error', hint: 'Fix the listed findings and check again.' }),
    );
    return undefined;
  }
}

class TooManyFindings extends Error {}

function restOf(omitted: number): Finding {
  const message = `${omitted} more ${omitted === 1 ? 'finding is' : 'findings are'} omitted; errors are listed first`;
  return { ...ruleFinding('VAL092', '', message, { hint: 'Fix the listed findings and check again.' }), omitted };
}
