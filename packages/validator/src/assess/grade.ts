import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';
import type { AssessmentFinding, LayerResult } from './layer-result.ts';

/** A: nothing to mend. B: warnings. C: errors in one layer. D: errors in several layers. F: the endpoint was not reached, or nothing but an HTTP server was found. */
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

/** Says so if nothing was found of what was asked for, or the assessment was aborted. `isExplained`: another error says why the endpoint was not reached. */
export function nothingFound(
  layers: Readonly<Record<LayerName, LayerResult>>,
  {
    asked,
    isReachable,
    isAborted,
    isExplained,
  }: { asked: readonly LayerName[]; isReachable: boolean; isAborted: boolean; isExplained: boolean },
): Finding[] {
  if (isAborted) return [finding('ASM-026', 'assess', 'The assessment was aborted by `signal`')];
  const looked = asked.length === 1 ? asked : asked.filter((name) => name !== 'http');
  if (!isReachable) {
    const [first] = asked.flatMap((name) => (layers[name].detected ? [] : [layers[name].skipped]));
    return isExplained ? [] : [finding('ASM-026', 'assess', `The endpoint was not reached: ${first ?? 'no answer'}`)];
  }
  if (looked.some((name) => layers[name].detected)) return [];
  const of = (state: LayerResult['state']): string[] => looked.filter((name) => layers[name].state === state);
  const parts = [
    ...of('not-detected').map((name) => `no ${name}`),
    ...of('not-evaluated').map((name) => `${name} could not be evaluated`),
  ];
  return [finding('ASM-026', 'assess', `Nothing but an HTTP server was found: ${parts.join(', ')}`)];
}

/** Derives the grade from the findings of the layers. A layer without a session or a document counts by what it saw until then. */
export function gradeOf(
  layers: Readonly<Record<LayerName, LayerResult>>,
  { isFound, findings }: { isFound: boolean; findings: readonly AssessmentFinding[] },
): Grade {
  const errors = rootErrors(findings);
  const warnings = idsOf(findings.filter(({ severity }) => severity === 'WARNING'));
  const seen = layerNames.filter((name) => layers[name].state !== 'not-evaluated').length;
  const coverage = { seen, of: layerNames.length };
  const holdsDown = idsOf(errors);
  if (!isFound) return { letter: 'F', coverage, holdsDown, next: { letter: 'D', mend: holdsDown } };
  const byLayer = [...Map.groupBy(errors, ({ layer }) => layer).values()].map(idsOf);
  // The layer with the most errors may stay for the next letter.
  const [largest, ...smaller] = byLayer.sort((one, other) => other.length - one.length);
  if (largest === undefined) {
    if (warnings.length === 0) return { letter: 'A', coverage, holdsDown: [], next: null };
    return { letter: 'B', coverage, holdsDown: warnings, next: { letter: 'A', mend: warnings } };
  }
  if (smaller.length > 0) return { letter: 'D', coverage, holdsDown, next: { letter: 'C', mend: smaller.flat() } };
  return { letter: 'C', coverage, holdsDown, next: { letter: warnings.length === 0 ? 'A' : 'B', mend: holdsDown } };
}

function idsOf(findings: readonly AssessmentFinding[]): string[] {
  return findings.map(({ id }) => id);
}

/** What clients refuse: a certificate, an old version of TLS, or too many redirects. */
const REFUSED: ReadonlySet<Code> = new Set([
  'HTTP-005',
  'HTTP-006',
  'HTTP-008',
  'HTTP-015',
  'HTTP-016',
  'HTTP-017',
  'HTTP-019',
]);
const NO_ANSWER: ReadonlySet<Code> = new Set(['HTTP-001', 'HTTP-002', 'HTTP-003', 'HTTP-014']);
/** Of other layers, where the page already says why there is no answer. */
const NO_CONNECTION: ReadonlySet<Code> = new Set(['CON-001', 'CON-002']);

/** The errors, and in place of those that only follow from another finding, that one. */
function rootErrors(findings: readonly AssessmentFinding[]): AssessmentFinding[] {
  const errors = findings.filter(({ severity }) => severity === 'ERROR');
  if (!errors.some(({ code }) => NO_ANSWER.has(code))) return errors;
  const own = errors.filter(({ code }) => !NO_CONNECTION.has(code));
  const refused = findings.filter(({ code }) => REFUSED.has(code));
  if (refused.length === 0 || !own.some(({ code }) => code === 'HTTP-002')) return own;
  return [...refused, ...own.filter(({ code }) => code !== 'HTTP-002')];
}
