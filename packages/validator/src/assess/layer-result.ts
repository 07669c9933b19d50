import type { Code } from '../findings/codes.ts';
import { codes } from '../findings/codes.ts';
import type { Evidence } from '../findings/evidence.ts';
import { asMessage, type Finding, isClean } from '../findings/finding.ts';
import type { PlainObject } from '../findings/plain-object.ts';
import { plainText } from '../findings/plain-text.ts';
import type { LayerName } from '../input/layer-names.ts';
import type { LayerOutcome } from './layer.ts';

/** A finding of an assessment. */
export interface AssessmentFinding extends Finding {
  /** The same in each assessment that finds it: the code and the location. */
  id: string;
  code: Code;
  /** Null for findings about the options. */
  layer: LayerName | null;
  evidence?: Evidence;
  /** Why it matters. */
  why: string;
  /** What to do. */
  fix: string;
  /** The rule: a URL, or a page of this project's docs. */
  source: string;
}

/** What an assessment says about a layer. */
export type LayerResult = DetectedLayer | UndetectedLayer;

interface DetectedLayer {
  detected: true;
  /** `failed` if a finding is an `ERROR`. */
  state: 'passed' | 'failed';
  status: boolean;
  categories: Record<string, boolean>;
  entries: PlainObject;
  messages: string[];
  findings: AssessmentFinding[];
  durationMs: number;
}

interface UndetectedLayer {
  detected: false;
  /** `not-detected`: it was looked for and is not there. `not-evaluated`: it may be there. */
  state: 'not-detected' | 'not-evaluated';
  /** Why. */
  skipped: string;
}

/** What a layer ended with: its result, and its findings even if it was not detected. */
export interface EndedLayer {
  result: LayerResult;
  findings: AssessmentFinding[];
}

const MAX_SKIPPED = 400;

export function endedLayer(name: LayerName, outcome: LayerOutcome, durationMs: number): EndedLayer {
  const findings = assessmentFindings(outcome.findings ?? [], name);
  if (!outcome.detected) {
    const { state, skipped } = outcome;
    return { result: { detected: false, state, skipped: plainText(skipped, MAX_SKIPPED) }, findings };
  }
  const status = isClean(findings);
  const { categories, entries } = outcome;
  const state = status ? 'passed' : 'failed';
  const messages = findings.map(asMessage);
  return { result: { detected: true, state, status, categories, entries, messages, findings, durationMs }, findings };
}

/** Findings with an id, the reason why they matter, and what to do. */
export function assessmentFindings(findings: readonly Finding[], layer: LayerName | null): AssessmentFinding[] {
  const counts = new Map<string, number>();
  return findings.map(({ code, severity, location, text, evidence }) => {
    const place = `${code}:${location}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    const { why, fix, source } = codes[code];
    return {
      id: count === 1 ? place : `${place}:${count}`,
      ...{ code, severity, layer, location, text },
      ...(evidence !== undefined && { evidence }),
      ...{ why, fix, source },
    };
  });
}
