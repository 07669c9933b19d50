import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';

/** Copies a text, and says so in its own label. */
export function CopyButton({ label, text }: { label: string; text: () => string }): VNode {
  const { texts } = usePage();
  const isCopied = useSignal(false);
  return (
    <button
      type="button"
      class="quiet needs-script"
      onBlur={() => {
        isCopied.value = false;
      }}
      onClick={async ({ currentTarget }) => {
        await copy(text());
        currentTarget.focus();
        isCopied.value = true;
      }}
    >
      <span aria-live="polite">{isCopied.value ? `✓ ${texts.finding.copied}` : label}</span>
    </button>
  );
}

async function copy(text: string): Promise<void> {
  // Browsers have the clipboard only over TLS and on the own machine; the old command works everywhere.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
