import type { Severity } from '../findings/code-table.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';
import type { AssessmentFinding, LayerResult } from './layer-result.ts';

/** A: nothing to mend. B: warnings. C: errors in one layer. D: errors in several layers. F: the endpoint cannot be reached, or nothing was detected. */
export type Letter = 'A' | 'B' | 'C' | 'D' | 'F';

export interface Grade {
  letter: Letter;
  /** How many layers were evaluated: a good letter says little about the others. */
  coverage: { seen: number; of: number };
  /** The ids of the findings that keep the letter from being better. */
  holdsDown: string[];
  /** The next better letter, and the ids of the findings to mend for it. Null at A. */
  next: { letter: Letter; mend: string[] } | null;
}

/** Derives the grade from the states of the layers and their findings. */
export function gradeOf(
  layers: Readonly<Record<LayerName, LayerResult>>,
  { isReachable, findings }: { isReachable: boolean; findings: readonly AssessmentFinding[] },
): Grade {
  const results = layerNames.map((name) => layers[name]);
  const failed = layerNames.filter((name) => layers[name].state === 'failed');
  const idsOf = (severity: Severity, layer?: LayerName): string[] =>
    findings
      .filter((found) => found.severity === severity && (layer === undefined || found.layer === layer))
      .map(({ id }) => id);
  const errors = idsOf('ERROR');
  const warnings = idsOf('WARNING');
  const coverage = { seen: results.filter(({ state }) => state !== 'not-evaluated').length, of: layerNames.length };
  if (!isReachable || !results.some(({ detected }) => detected))
    return { letter: 'F', coverage, holdsDown: errors, next: { letter: 'D', mend: errors } };
  const [first] = failed;
  if (first === undefined) {
    if (warnings.length === 0) return { letter: 'A', coverage, holdsDown: [], next: null };
    return { letter: 'B', coverage, holdsDown: warnings, next: { letter: 'A', mend: warnings } };
  }
  if (failed.length === 1) {
    const letter = warnings.length === 0 ? 'A' : 'B';
    return { letter: 'C', coverage, holdsDown: errors, next: { letter, mend: errors } };
  }
  // The layer with the most errors may stay for the next letter.
  const [, ...smaller] = failed.map((name) => idsOf('ERROR', name)).sort((one, other) => other.length - one.length);
  return { letter: 'D', coverage, holdsDown: errors, next: { letter: 'C', mend: smaller.flat() } };
}
