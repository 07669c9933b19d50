import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { Host, ToolResult } from '../host/connect-host.ts';
import { Arguments } from '../parts/arguments.tsx';
import { FullscreenButton } from '../parts/fullscreen-button.tsx';
import { Tree } from '../parts/tree.tsx';
import { AnswerParts } from './answer-parts.tsx';
import { ChartView } from './chart-view.tsx';
import { findSeries } from './find-series.ts';
import { findTables } from './find-tables.ts';
import { readAnswer } from './read-answer.ts';
import { SelectForm } from './select-form.tsx';
import { TableView } from './table-view.tsx';

type ViewName = 'Chart' | 'Table' | 'Tree';

/** The page for the answer of a tool. */
export function AnswerView({ host }: { host: Host }): VNode {
  // What the reader asked for in place of the answer: a part of it, or all of it.
  const asked = useSignal<{ label: string; result: ToolResult } | undefined>(undefined);
  const { tool } = host.context.value.toolInfo ?? {};
  const result = asked.value?.result ?? host.result.value;
  return (
    <main aria-busy={result === undefined && host.cancelled.value === undefined}>
      <header class="head">
        <h1>{tool?.title ?? tool?.name ?? 'Answer'}</h1>
        <Arguments of={host.input.value} />
        <FullscreenButton host={host} />
      </header>
      {result === undefined ? (
        <Waiting reason={host.cancelled} />
      ) : (
        <Shown key={result} host={host} result={result} asked={asked} />
      )}
    </main>
  );
}

function Waiting({ reason }: { reason: Signal<string | undefined> }): VNode {
  if (reason.value !== undefined) return <p class="note">The call was cancelled. {reason}</p>;
  return (
    <div class="waiting" role="status">
      <span class="unseen">Waiting for the answer</span>
      <i />
      <i />
      <i />
    </div>
  );
}

interface ShownProps {
  host: Host;
  result: ToolResult;
  asked: Signal<{ label: string; result: ToolResult } | undefined>;
}

function Shown({ host, result, asked }: ShownProps): VNode {
  const answer = useComputed(() => readAnswer(result));
  const { data, media, error } = answer.value;
  const tables = useComputed(() => findTables(data));
  const tableIndex = useSignal(0);
  const table = tables.value[tableIndex.value];
  const panels = useComputed(() => {
    const current = tables.value[tableIndex.value];
    return current === undefined ? [] : findSeries(current);
  });
  const isData = typeof data === 'object' && data !== null;
  // A table that has more than numbers over time is read as a table first.
  const isSeries = table?.columns.every(({ kind }, index) => kind !== 'nested' && (kind !== 'text' || index < 2));
  const asTable: ViewName[] = table === undefined ? [] : ['Table'];
  const asChart: ViewName[] = panels.value.length === 0 ? [] : ['Chart'];
  const views = [
    ...(isSeries ? [...asChart, ...asTable] : [...asTable, ...asChart]),
    ...(isData ? ['Tree' as const] : []),
  ];
  const chosen = useSignal<ViewName | undefined>(undefined);
  const view = views.find((name) => name === chosen.value) ?? views[0];
  if (error !== undefined) return <ErrorText text={error} asked={asked} />;
  const isEmpty = media.length === 0 && isNothing(data);
  return (
    <>
      <AnswerParts host={host} answer={answer.value} asked={asked} />
      <div class="bar">
        {views.length > 1 && (
          <fieldset class="views">
            <legend class="unseen">View</legend>
            {views.map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={name === view}
                onClick={() => {
                  chosen.value = name;
                }}
              >
                {name}
              </button>
            ))}
          </fieldset>
        )}
        {tables.value.length > 1 && view !== 'Tree' && (
          <label class="choice">
            <span class="unseen">List</span>
            <select
              value={tableIndex}
              onChange={({ currentTarget }) => {
                tableIndex.value = Number(currentTarget.value);
              }}
            >
              {tables.value.map(({ path, rows }, index) => (
                <option key={path.join('.')} value={index}>
                  {path.join('.') || 'answer'} ({rows.length})
                </option>
              ))}
            </select>
          </label>
        )}
        <SelectForm host={host} asked={asked} example={table?.example} />
      </div>
      {media.map(({ kind, source }) =>
        kind === 'image' ? (
          <img key={source} src={source} alt="The answer" />
        ) : (
          // biome-ignore lint/a11y/useMediaCaption: there is none in the answer of a tool.
          <audio key={source} controls src={source} />
        ),
      )}
      {isEmpty && <p class="note">The answer is empty.</p>}
      {view === 'Chart' && <ChartView panels={panels.value} place={host.context.value} />}
      {view === 'Table' && table && <TableView key={table} table={table} host={host} />}
      {view === 'Tree' && <Tree value={data} name="Answer" />}
      {view === undefined && !isEmpty && <pre class="text">{String(data)}</pre>}
    </>
  );
}

function ErrorText({ text, asked }: { text: string; asked: ShownProps['asked'] }): VNode {
  return (
    <section class="error" role="alert">
      <h2>The call failed</h2>
      <p>{text}</p>
      {asked.value && (
        <button
          type="button"
          onClick={() => {
            asked.value = undefined;
          }}
        >
          Back to the answer
        </button>
      )}
    </section>
  );
}

function isNothing(data: unknown): boolean {
  if (data === undefined || data === null || data === '') return true;
  return typeof data === 'object' && Object.keys(data).length === 0;
}
