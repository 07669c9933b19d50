import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Host, ToolResult } from '../host/connect-host.ts';

interface Props {
  host: Host;
  asked: Signal<{ label: string; result: ToolResult } | undefined>;
  example: string | undefined;
}

/** Asks the tool again, for a part of its answer. Only tools that read: others would write twice. */
export function SelectForm({ host, asked, example = 'name' }: Props): VNode | null {
  const isBusy = useSignal(false);
  const problem = useSignal('');
  const { tool } = host.context.value.toolInfo ?? {};
  if (tool?.annotations?.readOnlyHint !== true || !host.capabilities.serverTools) return null;
  const ask = async (expression: string) => {
    isBusy.value = true;
    problem.value = '';
    try {
      const result = await host.callTool(tool.name, { ...host.input.value, select: expression });
      asked.value = { label: expression, result };
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
    isBusy.value = false;
  };
  const field = useRef<HTMLInputElement>(null);
  const submit = () => {
    const expression = field.current?.value.trim() ?? '';
    if (expression !== '') void ask(expression);
  };
  // Not a form: frames of hosts may not submit one.
  return (
    <div class="select">
      <label>
        <span class="unseen">Select a part of the answer, as JMESPath</span>
        <input
          ref={field}
          placeholder={example}
          spellcheck={false}
          autocomplete="off"
          onKeyDown={({ key }) => {
            if (key === 'Enter') submit();
          }}
        />
      </label>
      <button type="button" disabled={isBusy} onClick={submit}>
        {isBusy.value ? 'Asking…' : 'Select'}
      </button>
      {problem.value && <p role="alert">{problem}</p>}
    </div>
  );
}
