import type { Assessment } from '@schemakit/validator';
import type { RefObject, VNode } from 'preact';
import { checkBefore } from '../history/history.ts';
import { usePage } from '../page-context.ts';
import type { Texts } from '../texts/texts.ts';
import { GradeMark } from './grade-mark.tsx';
import { shownTime } from './numbers.ts';
import { type Layers, layerOrder, type ShownReport } from './shown-report.ts';

interface ReportHeadProps {
  heading: RefObject<HTMLHeadingElement | null>;
  url: string;
  layers: Layers;
  report: ShownReport | undefined;
  progress: string;
}

/** The grade with what it rests on; while the check runs, how far it is. */
export function ReportHead({ heading, url, layers, report, progress }: ReportHeadProps): VNode {
  const { texts, language, linkTo, check, ownHeaders } = usePage();
  const ended = layerOrder.filter((name) => layers[name] !== undefined).length;
  const grade = report?.assessment.grade;
  const absent = layerOrder.filter((name) => layers[name]?.state === 'not-detected').length;
  return (
    <header class="report-head">
      {grade === undefined ? <Ring ended={ended} of={layerOrder.length} /> : <GradeMark letter={grade.letter} />}
      <div class="report-title">
        <h1 ref={heading} tabIndex={-1}>
          <span class="kicker">
            {report === undefined ? texts.progress.heading : headingOf(report.assessment, texts)}
          </span>
          <span class="address" dir="ltr">
            {url}
          </span>
        </h1>
        <p class="meta" hidden={grade === undefined}>
          {grade !== undefined && <span>{texts.grade.coverage(grade.coverage.seen, grade.coverage.of, absent)}</span>}
          {report !== undefined && (
            <span>
              {texts.grade.checkedAt} <time dateTime={report.createdAt}>{shownTime(report.createdAt, language)}</time>
            </span>
          )}
        </p>
        {grade !== undefined && grade.coverage.seen < grade.coverage.of && (
          <p class="meta">{texts.grade.coverageHint}</p>
        )}
        <p class={grade === undefined ? 'progress' : 'progress unseen'} role="status" aria-live="polite">
          {progress}
        </p>
      </div>
      {report !== undefined && (
        <div class="report-actions needs-script">
          <button type="button" onClick={() => check(report.fullUrl ?? url, ownHeaders())}>
            {texts.share.again}
          </button>
          {report.id !== null && (
            <a
              class="button"
              href={linkTo(`/#compare=..${report.id}`)}
              onClick={({ currentTarget }) => {
                // Only this browser knows what it checked before.
                const earlier = checkBefore(report);
                if (earlier !== undefined) currentTarget.href = linkTo(`/#compare=${earlier.id}..${report.id}`);
              }}
            >
              {texts.share.compare}
            </a>
          )}
        </div>
      )}
    </header>
  );
}

function headingOf({ grade: { letter }, categories }: Assessment, { grade }: Texts): string {
  const meaning = categories.isReachable === false ? grade.unreachable : grade.meanings[letter];
  return `${grade.label(letter)}: ${meaning}`;
}

const CIRCUMFERENCE = 2 * Math.PI * 42;

function Ring({ ended, of }: { ended: number; of: number }): VNode {
  return (
    <svg class="ring" viewBox="0 0 96 96" width="96" height="96" aria-hidden="true">
      <circle cx="48" cy="48" r="42" />
      <circle
        class="ring-done"
        cx="48"
        cy="48"
        r="42"
        stroke-dasharray={`${(CIRCUMFERENCE * ended) / of} ${CIRCUMFERENCE}`}
        transform="rotate(-90 48 48)"
      />
      <text x="48" y="56" text-anchor="middle" font-size="24">
        {ended}/{of}
      </text>
    </svg>
  );
}
