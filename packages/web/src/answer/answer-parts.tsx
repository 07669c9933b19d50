import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { Host, ToolResult } from '../host/connect-host.ts';
import { columnOf, isScalar } from './columns.ts';
import { formatValue } from './format-value.ts';
import type { Answer } from './read-answer.ts';

interface Props {
  host: Host;
  answer: Answer;
  asked: Signal<{ label: string; result: ToolResult } | undefined>;
}

/** What stands above the answer: what it is a part of, what was left out of it, and its single values. */
export function AnswerParts({ host, answer: { data, cuts, whole }, asked }: Props): VNode {
  const problem = useSignal('');
  const load = async () => {
    if (whole === undefined) return;
    try {
      const { contents } = await host.request<{ contents: { text?: string }[] }>('resources/read', { uri: whole });
      const content = contents.map(({ text = '' }) => ({ type: 'text', text }));
      asked.value = { label: 'The whole answer', result: { content } };
    } catch (error) {
      problem.value = `The whole answer could not be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  return (
    <>
      {asked.value && (
        <p class="part" role="status">
          <span>{asked.value.label}</span>
          <button
            type="button"
            onClick={() => {
              asked.value = undefined;
            }}
          >
            Back to the answer
          </button>
        </p>
      )}
      {cuts.length > 0 && (
        <section class="cuts" aria-label="What was left out">
          <strong>Incomplete</strong>
          <ul>
            {cuts.map((cut) => (
              <li key={cut}>{cut}</li>
            ))}
          </ul>
          {whole !== undefined && host.capabilities.serverResources && (
            <button type="button" onClick={load}>
              Load all of it
            </button>
          )}
          {problem.value && <p role="alert">{problem}</p>}
        </section>
      )}
      <Facts data={data} host={host} />
    </>
  );
}

const maxFacts = 12;

/** The single values beside the lists of an answer, such as a total. */
function Facts({ data, host }: { data: unknown; host: Host }): VNode | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const facts = Object.entries(data).filter(([, value]) => isScalar(value) && value !== null && value !== '');
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.slice(0, maxFacts).map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{formatValue(value, columnOf(key, [value]), host.context.value)}</dd>
        </div>
      ))}
    </dl>
  );
}
