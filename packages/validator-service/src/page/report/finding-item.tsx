import { useSignal } from '@preact/signals';
import type { Assessment, AssessmentFinding, LayerName } from '@schemakit/validator';
import type { VNode } from 'preact';
import { ask } from '../api.ts';
import { usePage } from '../page-context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Quoted, SafeLink } from '../parts/quoted.tsx';
import { Shape } from '../parts/shapes.tsx';
import { evidenceLine, fixForAgent, fixForPerson } from './fix-text.ts';
import { anchorOf, type ShownReport } from './shown-report.ts';

interface FindingItemProps {
  /** A finding, or the same one at several places. */
  same: readonly AssessmentFinding[];
  /** Without a report, nothing can be done about it yet. */
  report: ShownReport | undefined;
}

/** A finding with what to do. Why it matters and what was seen are one click away. */
export function FindingItem({ same, report }: FindingItemProps): VNode | null {
  const { texts } = usePage();
  const [finding] = same;
  if (finding === undefined) return null;
  const { severity, code, text, fix, why, source, evidence } = finding;
  const isWork = severity !== 'INFO';
  return (
    <li class={`finding is-${severity}`} id={anchorOf(finding)}>
      <p class="finding-text">
        <Shape of={severity} />
        <span class="unseen">{texts.severities[severity]}: </span>
        <Quoted text={text} />{' '}
        <span class="code">
          {code} {same.map(({ location }) => location).join(', ')}
        </span>
      </p>
      {fix !== NOTHING && (
        <p class="fix">
          <strong>{texts.finding.fix}:</strong> <Quoted text={fix} />
        </p>
      )}
      {report !== undefined && fix !== NOTHING && (
        <p class="row finding-actions">
          {isWork && finding.layer !== null && <CheckAgain same={same} layer={finding.layer} report={report} />}
          <CopyButton label={texts.finding.copy} text={() => fixForPerson(same, report.url)} />
          <CopyButton label={texts.finding.copyAgent} text={() => fixForAgent(same, report.url)} />
        </p>
      )}
      <details>
        <summary>{texts.finding.why}</summary>
        <p>
          <Quoted text={why} />
        </p>
        <p class="muted">
          {texts.finding.rule}: <SafeLink url={source} />
        </p>
        {evidence !== undefined && (
          <>
            <p class="muted">{texts.finding.evidence}:</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it */}
            <pre tabIndex={0} dir="ltr">
              {evidenceLine(evidence)}
            </pre>
          </>
        )}
      </details>
    </li>
  );
}

/** The fix of findings that only say how something is. */
const NOTHING = 'Nothing to do.';

type Again = 'checking' | 'gone' | 'still' | 'unknown';

interface CheckAgainProps {
  same: readonly AssessmentFinding[];
  layer: LayerName;
  report: ShownReport;
}

/** Evaluates the layer of a finding once more. */
function CheckAgain({ same, layer, report }: CheckAgainProps): VNode {
  const { texts, ownHeaders } = usePage();
  const state = useSignal<Again | undefined>(undefined);
  const again = async (): Promise<void> => {
    state.value = 'checking';
    const headers = ownHeaders();
    const body = {
      url: report.fullUrl ?? report.url,
      layers: [layer],
      ...(Object.keys(headers).length > 0 && { headers }),
    };
    const answer = await ask<Assessment>('/api/assess', { body });
    if ('problem' in answer) state.value = 'unknown';
    else if (answer.value.findings.some((found) => same.some(({ id }) => id === found.id))) state.value = 'still';
    else state.value = answer.value.layers[layer].state === 'not-evaluated' ? 'unknown' : 'gone';
  };
  return (
    <>
      <span class={`again is-${state.value}`} role="status">
        {state.value !== undefined && texts.finding[state.value]}
      </span>
      <button type="button" class="quiet needs-script" disabled={state.value === 'checking'} onClick={again}>
        {texts.finding.again}
      </button>
    </>
  );
}
