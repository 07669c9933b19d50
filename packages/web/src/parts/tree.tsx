import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';

/** Children that are drawn at a time. */
const step = 100;

/** JSON as a tree whose branches open. */
export function Tree({ value, name }: { value: unknown; name: string }): VNode {
  return (
    <section class="tree" aria-label={name}>
      {isBranch(value) ? <Children of={value} depth={0} /> : <Leaf value={value} />}
    </section>
  );
}

function Children({ of, depth }: { of: object; depth: number }): VNode {
  const most = useSignal(step);
  const entries = Object.entries(of);
  return (
    <ul>
      {entries.slice(0, most.value).map(([key, value]) => (
        <li key={key}>
          {isBranch(value) ? (
            <Branch name={key} value={value} depth={depth} isOpen={depth === 0 && entries.length <= 12} />
          ) : (
            <p>
              <span class="key">{key}</span> <Leaf value={value} />
            </p>
          )}
        </li>
      ))}
      {entries.length > most.value && (
        <li>
          <button
            type="button"
            class="more"
            onClick={() => {
              most.value += step;
            }}
          >
            {Math.min(step, entries.length - most.value)} more of {entries.length}
          </button>
        </li>
      )}
    </ul>
  );
}

function Branch({
  name,
  value,
  depth,
  isOpen,
}: {
  name: string;
  value: object;
  depth: number;
  isOpen: boolean;
}): VNode {
  // What was never open is not drawn.
  const wasOpen = useSignal(isOpen);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) wasOpen.value = true;
      }}
    >
      <summary>
        <span class="key">{name}</span> <span class="muted">{summaryOf(value)}</span>
      </summary>
      {wasOpen.value && <Children of={value} depth={depth + 1} />}
    </details>
  );
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** A scalar, or what is empty. */
function Leaf({ value }: { value: unknown }): VNode {
  const kind = value === null ? 'null' : typeof value;
  return (
    <span class={`leaf ${kind}`}>{kind === 'object' || value === '' ? JSON.stringify(value) : String(value)}</span>
  );
}

/** The size of a branch, and what tells it from its neighbours. */
function summaryOf(value: object): string {
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'item' : 'items'}`;
  const { name, title, label, id } = value as Record<string, unknown>;
  const mark = [name, title, label, id].find((each) => ['string', 'number'].includes(typeof each));
  const { length } = Object.keys(value);
  return mark === undefined ? `${length} ${length === 1 ? 'field' : 'fields'}` : String(mark).slice(0, 60);
}
