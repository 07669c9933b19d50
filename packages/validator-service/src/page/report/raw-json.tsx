import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';

/** A value as JSON, written only when someone looks: some are megabytes. Without script, the download has it. */
export function RawJson({ value }: { value: unknown }): VNode {
  const { texts } = usePage();
  const isOpen = useSignal(false);
  return (
    <details
      class="raw needs-script"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{texts.finding.rawJson}</summary>
      {isOpen.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it
        <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
      )}
    </details>
  );
}
