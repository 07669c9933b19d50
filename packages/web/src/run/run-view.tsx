import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Host } from '../host/connect-host.ts';
import { Arguments } from '../parts/arguments.tsx';
import { FullscreenButton } from '../parts/fullscreen-button.tsx';
import { AnswerFields } from './answer-fields.tsx';
import { followRun, type RunReport, reportOf } from './follow-run.ts';
import { RoundView } from './round-view.tsx';
import { roundsOf } from './run-steps.ts';
import { seconds } from './seconds.ts';

/** The page for a run of an agent: what it does while it does it, then its answer. */
export function RunView({ host }: { host: Host }): VNode {
  const events = useMemo(() => followRun(host), [host]);
  const rounds = useComputed(() => roundsOf(events.value));
  const result = host.result.value;
  const report = reportOf(host);
  const isOver = result !== undefined || host.cancelled.value !== undefined;
  const { tool } = host.context.value.toolInfo ?? {};
  const failed = rounds.value.flatMap(({ calls }) => calls.filter(({ state }) => state === 'failed')).length;
  const calls = rounds.value.reduce((sum, round) => sum + round.calls.length, 0);
  const steps = (
    <ol class="rounds">
      {rounds.value.map((round, index) => (
        <RoundView key={round.number} round={round} isCurrent={!isOver && index === rounds.value.length - 1} />
      ))}
    </ol>
  );
  return (
    <main aria-busy={!isOver}>
      <header class="head">
        <h1>{tool?.title ?? tool?.name ?? 'Agent'}</h1>
        <Status host={host} report={report} />
        <FullscreenButton host={host} />
        <Arguments of={host.input.value} />
      </header>
      {host.cancelled.value !== undefined && <p class="note">The call was cancelled. {host.cancelled}</p>}
      {result !== undefined && <Outcome host={host} report={report} />}
      {isOver && rounds.value.length > 0 && (
        <details class="steps">
          <summary>
            {counted(rounds.value.length, 'round')}, {counted(calls, 'call')}
            {failed > 0 && <b>, {failed} failed</b>}
          </summary>
          {steps}
        </details>
      )}
      {isOver && rounds.value.length === 0 && report && <ToolCounts report={report} />}
      {!isOver && rounds.value.length > 0 && steps}
      {report && <Costs report={report} host={host} />}
    </main>
  );
}

const words = { success: 'Done', incomplete: 'Incomplete', needs_input: 'Needs an answer', error: 'Failed' };

function Status({ host, report }: { host: Host; report: RunReport | undefined }): VNode {
  const startedAt = useMemo(() => performance.now(), []);
  const elapsed = useSignal(0);
  const isOver = host.result.value !== undefined || host.cancelled.value !== undefined;
  useSignalEffect(() => {
    if (host.result.value !== undefined || host.cancelled.value !== undefined) return;
    const timer = setInterval(() => {
      elapsed.value = performance.now() - startedAt;
    }, 1_000);
    return () => clearInterval(timer);
  });
  const state = host.result.value?.isError === true ? (report?.status ?? 'error') : 'success';
  if (host.cancelled.value !== undefined) return <span class="status">Cancelled</span>;
  if (isOver) return <span class={`status ${state}`}>{words[state]}</span>;
  return (
    <span class="status running">
      <span role="status">Working</span> <span aria-hidden="true">{seconds(elapsed.value)}</span>
    </span>
  );
}

function Outcome({ host, report }: { host: Host; report: RunReport | undefined }): VNode {
  const { structuredContent, content = [], isError = false } = host.result.value ?? {};
  const text = content.flatMap((part) => (part.type === 'text' ? String(part.text) : [])).join('\n\n');
  if (!isError && structuredContent !== undefined) return <AnswerFields answer={structuredContent} />;
  if (report === undefined) return isError ? <p class="error">{text}</p> : <pre class="text">{text}</pre>;
  const { status, reason, question, answer } = report;
  return (
    <>
      <section class={status === 'error' ? 'error' : 'cuts'} role="alert">
        <p>{question?.message ?? reason ?? text}</p>
      </section>
      {answer !== undefined && answer !== null && <AnswerFields answer={answer} />}
    </>
  );
}

function ToolCounts({ report: { tools } }: { report: RunReport }): VNode | null {
  if (tools.length === 0) return null;
  return (
    <ul class="calls">
      {tools.map(({ name, calls, failures, ms }) => (
        <li key={name} class={failures > 0 ? 'failed' : 'done'}>
          <code>{name}</code>
          <span class="muted">
            {counted(calls, 'call')}
            {failures > 0 && `, ${failures} failed`}
          </span>
          <span class="took">{seconds(ms)}</span>
        </li>
      ))}
    </ul>
  );
}

function Costs({ report, host }: { report: RunReport; host: Host }): VNode {
  const { rounds, model, usage, cost, durationMs } = report;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const { locale } = host.context.value;
  return (
    <footer class="costs">
      <span>{model}</span>
      <span>{counted(rounds, 'round')}</span>
      <span>{seconds(durationMs)}</span>
      {tokens > 0 && <span>{tokens.toLocaleString(locale)} tokens</span>}
      {cost !== undefined && <span>cost {cost.toLocaleString(locale, { maximumSignificantDigits: 3 })}</span>}
    </footer>
  );
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
