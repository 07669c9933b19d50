import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { FindingItem } from './finding-item.tsx';
import { LayerCard } from './layer-card.tsx';
import { LayerRail } from './layer-rail.tsx';
import { NextGrade } from './next-grade.tsx';
import { ReportHead } from './report-head.tsx';
import { SharePanel } from './share-panel.tsx';
import { type Layers, layerOrder, type ShownReport } from './shown-report.ts';

export interface ReportViewProps {
  url: string;
  layers: Layers;
  /** Absent while the check runs. */
  report?: ShownReport | undefined;
  /** How far the check is. */
  progress?: string | undefined;
}

/** A report, from the first moment of its check on: the same parts at the same places, so that nothing jumps. */
export function ReportView({ url, layers, report, progress = '' }: ReportViewProps): VNode {
  const { texts } = usePage();
  const heading = useRef<HTMLHeadingElement>(null);
  const isRunning = report === undefined;
  // The button that started the check is gone; without this, the keyboard would be back at the start of the page.
  useEffect(() => {
    if (isRunning) heading.current?.focus();
  }, [isRunning]);
  const aboutRequest = report?.assessment.findings.filter(({ layer }) => layer === null) ?? [];
  return (
    <article class="report">
      <ReportHead heading={heading} url={url} layers={layers} report={report} progress={progress} />
      {report !== undefined && <NextGrade report={report} />}
      {report !== undefined && aboutRequest.length > 0 && (
        <section class="card">
          <h2>{texts.grade.optionFindings}</h2>
          <ul class="findings">
            {aboutRequest.map((finding) => (
              <FindingItem key={finding.id} same={[finding]} report={report} />
            ))}
          </ul>
        </section>
      )}
      <div class="columns">
        <LayerRail layers={layers} />
        <div class="cards">
          {layerOrder.map((name) => (
            <LayerCard key={name} name={name} layers={layers} report={report} />
          ))}
          {report !== undefined && <SharePanel report={report} />}
        </div>
      </div>
    </article>
  );
}
