import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Problem, problemText } from '../api.ts';
import { rememberCheck } from '../history/history.ts';
import { usePage } from '../page-context.ts';
import { ReportView } from '../report/report-view.tsx';
import type { Layers, ShownReport } from '../report/shown-report.ts';
import { HomeView } from './home-view.tsx';
import { runCheck } from './run-check.ts';

interface CheckViewProps {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** A check from its start to its report, which builds up as layers end. */
export function CheckView({ url, headers }: CheckViewProps): VNode {
  const { texts, linkTo } = usePage();
  const layers = useSignal<Layers>({});
  const report = useSignal<ShownReport | undefined>(undefined);
  const progress = useSignal(texts.progress.starting);
  const problem = useSignal<Problem | null | undefined>(undefined);
  useEffect(
    () =>
      runCheck({
        path: '/api/assess',
        url,
        headers,
        onQueued(position) {
          progress.value = texts.progress.queued(position);
        },
        onLayer(name, layer) {
          layers.value = { ...layers.value, [name]: layer };
          const ended = Object.keys(layers.value).length;
          progress.value = texts.progress.layer(texts.layers[name].name, texts.states[layer.state], ended);
        },
        onReconnecting() {
          progress.value = texts.progress.reconnecting;
        },
        onEnd({ reportId, deleteToken, ...assessment }) {
          const { letter } = assessment.grade;
          const createdAt = new Date().toISOString();
          const shownUrl = typeof assessment.entries.endpoint === 'string' ? assessment.entries.endpoint : url;
          const count = (severity: 'ERROR' | 'WARNING'): string =>
            texts.counts[severity](assessment.findings.filter((found) => found.severity === severity).length);
          layers.value = assessment.layers;
          report.value = { id: reportId, url: shownUrl, fullUrl: url, createdAt, assessment };
          progress.value = texts.progress.ended(letter, count('ERROR'), count('WARNING'));
          document.title = `${texts.grade.label(letter)} · ${shownUrl} · ${texts.title}`;
          if (reportId === null) return;
          rememberCheck({ id: reportId, url: shownUrl, createdAt, letter, deleteToken: deleteToken ?? undefined });
          history.replaceState(null, '', linkTo(`/reports/${reportId}`));
        },
        onProblem(told) {
          problem.value = told;
          // Each visit of the page renews the session.
          if (told?.status === 401) fetch('/').catch(() => {});
        },
      }),
    [url, headers],
  );
  if (problem.value !== undefined) {
    const text = problem.value === null ? texts.problems.lost : problemText(problem.value, texts);
    return <HomeView url={url} problem={text} />;
  }
  return (
    <ReportView url={report.value?.url ?? url} layers={layers.value} report={report.value} progress={progress.value} />
  );
}
