import { useSignal } from '@preact/signals';
import type { Assessment, AssessmentFinding } from '@schemakit/validator';
import type { VNode } from 'preact';
import { ask } from '../api.ts';
import { usePage } from '../page-context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Quoted, SafeLink } from '../parts/quoted.tsx';
import { Shape } from '../parts/shapes.tsx';
import { evidenceLine, fixForAgent, fixForPerson } from './fix-text.ts';
import { anchorOf, type ShownReport } from './shown-report.ts';

/** A finding with what to do. Why it matters and what was seen are one click away. Without a report, nothing can be done about it yet. */
export function FindingItem({
  finding,
  report,
}: {
  finding: AssessmentFinding;
  report: ShownReport | undefined;
}): VNode {
  const { texts } = usePage();
  const { severity, code, location, text, fix, why, source, evidence } = finding;
  return (
    <li class={`finding is-${severity}`} id={anchorOf(finding)}>
      <p class="finding-text">
        <Shape of={severity} />
        <span>
          <span class="unseen">{texts.severities[severity]}: </span>
          <Quoted text={text} />{' '}
          <span class="code">
            {code} <span class="place">{location}</span>
          </span>
        </span>
      </p>
      <p class="fix">
        <strong>{texts.finding.fix}:</strong> <Quoted text={fix} />
      </p>
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
      {report !== undefined && (
        <p class="row finding-actions">
          <CopyButton label={texts.finding.copy} text={() => fixForPerson([finding], report.url)} />
          <CopyButton label={texts.finding.copyAgent} text={() => fixForAgent([finding], report.url)} />
          {finding.layer !== null && <CheckAgain finding={finding} report={report} />}
        </p>
      )}
    </li>
  );
}

type Again = 'checking' | 'gone' | 'still' | 'unknown';

/** Evaluates the layer of a finding once more. */
function CheckAgain({ finding: { id, layer }, report }: { finding: AssessmentFinding; report: ShownReport }): VNode {
  const { texts, ownHeaders } = usePage();
  const state = useSignal<Again | undefined>(undefined);
  const again = async (): Promise<void> => {
    state.value = 'checking';
    const headers = ownHeaders();
    const body = { url: report.url, layers: [layer], ...(Object.keys(headers).length > 0 && { headers }) };
    const answer = await ask<Assessment>('/api/assess', { body });
    if ('problem' in answer || layer === null) state.value = 'unknown';
    else if (answer.value.findings.some((found) => found.id === id)) state.value = 'still';
    else state.value = answer.value.layers[layer].state === 'not-evaluated' ? 'unknown' : 'gone';
  };
  return (
    <>
      <button type="button" class="quiet needs-script" disabled={state.value === 'checking'} onClick={again}>
        {texts.finding.again}
      </button>
      <span class={`again is-${state.value}`} role="status">
        {state.value !== undefined && texts.finding[state.value]}
      </span>
    </>
  );
}
