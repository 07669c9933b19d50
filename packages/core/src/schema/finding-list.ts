import type { Finding, Report, Severity } from './finding.ts';
import { ruleFinding } from './finding-codes.ts';

/** A program that writes a schema can make as many findings as the file has bytes. */
export const maxFindings = 1000;

/** Rules are stopped after this many findings. */
const stopsAt = 2 * maxFindings;

/** A list of findings with a limit: errors are kept before warnings, warnings before notes, each in order. */
export interface FindingList {
  add(finding: Finding): void;
  /** Makes the finding only if it is kept, because looking up its line is slow. */
  addOf(severity: Severity, make: () => Finding): void;
  /** The findings in order. The last one counts the omitted ones, if any. */
  toArray(): Finding[];
}

const severities: readonly Severity[] = ['error', 'warning', 'info'];

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
      // The last finding of another list: add its count to ours.
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

export function limitFindings(findings: Iterable<Finding>, limit: number = maxFindings): Finding[] {
  const list = createFindingList(limit);
  for (const finding of findings) list.add(finding);
  return list.toArray();
}

/** Runs rules and adds their findings to a list. Stops with an error, and no result, after twice the maximum. */
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
