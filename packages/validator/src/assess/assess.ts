import { asMessage, type Finding, isClean } from '../findings/finding.ts';
import { secretMask, shownUrl } from '../findings/mask-secrets.ts';
import type { PlainObject } from '../findings/plain-object.ts';
import { type AssessInput, checkAssess } from '../input/assess-options.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';
import { allLayers } from './all-layers.ts';
import { type Grade, gradeOf, nothingFound } from './grade.ts';
import { type AssessmentFinding, assessmentFindings, type EndedLayer, type LayerResult } from './layer-result.ts';
import { runLayers } from './run-layers.ts';
import { unifiedCategories, unifiedEntries } from './unified.ts';

export interface AssessOptions extends AssessInput {
  /** Called as each layer ends. Errors of the listener are ignored. */
  onLayer?: (name: LayerName, layer: LayerResult) => void;
}

/** The result of `assess`: plain JSON that can be stored and compared. */
export interface Assessment {
  /** The endpoint was reached, and no finding is an `ERROR`. */
  status: boolean;
  /** The findings as `CODE location: text`. */
  messages: string[];
  findings: AssessmentFinding[];
  /** The categories of all detected layers, in one list. */
  categories: Record<string, boolean>;
  /** What the layers saw, in short. */
  entries: PlainObject;
  layers: Record<LayerName, LayerResult>;
  grade: Grade;
}

/**
 * Tells what an endpoint really is, in eight layers: HTTP, MCP, A2A, payment, OAuth, MCP Apps, HTML and ERC-8004, within `timeout`
 * milliseconds (default 15,000). Never throws: what is wrong with the options or the endpoint is in `findings`. **Really calls
 * tools**: by default each one without `destructiveHint: true`, see `probe`. Never pays.
 */
export async function assess(options: AssessOptions): Promise<Assessment> {
  // The options are read only once: a getter may throw the next time.
  const { findings, settings, onLayer } = checkAssess(options);
  if (settings === undefined) return assessmentOf({ ofOptions: findings, skipped: 'The options are invalid.' });
  const layers = allLayers.filter(({ name }) => settings.layers.includes(name));
  const { ended, isReachable } = await runLayers(settings, {
    layers,
    onLayer: onLayer as AssessOptions['onLayer'],
  });
  const endpoint = secretMask(settings)(shownUrl(settings.endpoint));
  const skipped = 'Not asked for, see `layers`.';
  const isAborted = settings.signal?.aborted === true;
  return assessmentOf({
    ofOptions: findings,
    asked: settings.layers,
    ended,
    isReachable,
    isAborted,
    endpoint,
    skipped,
  });
}

interface Ended {
  ofOptions: readonly Finding[];
  /** Without valid options, nothing. */
  asked?: readonly LayerName[];
  ended?: ReadonlyMap<LayerName, EndedLayer>;
  isReachable?: boolean;
  isAborted?: boolean;
  endpoint?: string | null;
  /** Why other layers were not evaluated. */
  skipped: string;
}

function assessmentOf({
  ofOptions,
  asked = [],
  ended = new Map(),
  isReachable = false,
  isAborted = false,
  endpoint = null,
  skipped,
}: Ended): Assessment {
  const unasked: LayerResult = { detected: false, state: 'not-evaluated', skipped };
  const results = layerNames.map((name) => [name, ended.get(name)?.result ?? unasked] as const);
  const layers = Object.fromEntries(results) as Record<LayerName, LayerResult>;
  const ofLayers = layerNames.flatMap((name) => ended.get(name)?.findings ?? []);
  const nothing = nothingFound(layers, {
    asked,
    isReachable,
    isAborted,
    isExplained: !isClean([...ofOptions, ...ofLayers]),
  });
  const findings = [...assessmentFindings([...ofOptions, ...nothing], null), ...ofLayers];
  // Mistakes in the options say nothing about the endpoint.
  const graded = asked.length === 0 ? findings : [...assessmentFindings(nothing, null), ...ofLayers];
  const grade = gradeOf(layers, { isFound: isReachable && nothing.length === 0, findings: graded });
  return {
    status: isReachable && isClean(findings),
    messages: findings.map(asMessage),
    findings,
    categories: unifiedCategories(layers, { isReachable, isHealthy: isReachable && isClean(findings) }),
    entries: unifiedEntries(layers, { endpoint, findings, letter: grade.letter }),
    layers,
    grade,
  };
}
