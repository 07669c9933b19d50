import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { listAt, textAt } from './entries.ts';

const MAX_SHOWN = 100;

/** What each tool costs. */
export function Prices({ entries }: { entries: unknown }): VNode | null {
  const { texts } = usePage();
  const prices = listAt(entries, 'prices');
  if (prices.length < 2) return null;
  return (
    <>
      <ul class="prices">
        {prices.slice(0, MAX_SHOWN).map((price, index) => (
          <li key={index}>
            <code dir="auto">{textAt(price, 'toolName')}</code>
            <span dir="auto">{textAt(price, 'text')}</span>
          </li>
        ))}
      </ul>
      {prices.length > MAX_SHOWN && <p class="muted">{texts.tools.more(prices.length - MAX_SHOWN)}</p>}
    </>
  );
}
