import { useComputed, useSignal } from '@preact/signals';
import { Fragment, type VNode } from 'preact';
import type { Host } from '../host/connect-host.ts';
import { Tree } from '../parts/tree.tsx';
import { type Column, isScalar } from './columns.ts';
import type { Table } from './find-tables.ts';
import { formatValue } from './format-value.ts';
import { type Order, sortRows } from './sort-rows.ts';

/** More rows are drawn when asked for: a browser takes long for thousands. */
const step = 500;

/** A table with a filter; its columns sort, its rows open. */
export function TableView({ table, host }: { table: Table; host: Host }): VNode {
  const { columns, rows, records } = table;
  const words = useSignal('');
  const order = useSignal<Order | undefined>(undefined);
  const most = useSignal(step);
  const open = useSignal<ReadonlySet<number>>(new Set());
  const place = host.context.value;
  const shown = useComputed(() => {
    const wanted = words.value.trim().toLowerCase();
    const all = rows.map((_, index) => index);
    const matches = (index: number) => JSON.stringify(records[index]).toLowerCase().includes(wanted);
    const kept = wanted === '' ? all : all.filter(matches);
    return sortRows(kept, table, order.value);
  });
  const turn = (column: number) => {
    const { value } = order;
    if (value?.column !== column) order.value = { column, direction: 'ascending' };
    else order.value = value.direction === 'ascending' ? { column, direction: 'descending' } : undefined;
  };
  const toggle = (row: number) => {
    open.value = new Set(open.value.has(row) ? [...open.value].filter((other) => other !== row) : [...open.value, row]);
  };
  const count = shown.value.length === rows.length ? rows.length : `${shown.value.length} of ${rows.length}`;
  return (
    <section class="sheet">
      <div class="tools">
        {rows.length > 8 && (
          <label>
            <span class="unseen">Filter the rows</span>
            <input
              type="search"
              placeholder="Filter"
              onInput={({ currentTarget }) => {
                words.value = currentTarget.value;
              }}
            />
          </label>
        )}
        <span class="count" role="status">
          {count} {rows.length === 1 ? 'row' : 'rows'}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="scroll" aria-label="Table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="at">
                <span class="unseen">Row</span>
              </th>
              {columns.map(({ key, kind }, index) => {
                const direction = order.value?.column === index ? order.value.direction : undefined;
                return (
                  <th key={key} scope="col" class={kind} aria-sort={direction ?? 'none'}>
                    <button type="button" onClick={() => turn(index)}>
                      {key}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {shown.value.slice(0, most.value).map((row) => (
              <Fragment key={row}>
                <tr>
                  <td class="at">
                    <button
                      type="button"
                      aria-expanded={open.value.has(row)}
                      aria-label={`Row ${row + 1}`}
                      onClick={() => toggle(row)}
                    >
                      {row + 1}
                    </button>
                  </td>
                  {columns.map((column, index) => (
                    <Cell key={column.key} value={rows[row]?.[index]} column={column} host={host} place={place} />
                  ))}
                </tr>
                {open.value.has(row) && (
                  <tr class="record">
                    <td colSpan={columns.length + 1}>
                      <Tree value={records[row]} name={`Row ${row + 1}`} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
        {shown.value.length === 0 && <p class="note">No row has these words.</p>}
      </section>
      {shown.value.length > most.value && (
        <button
          type="button"
          class="more"
          onClick={() => {
            most.value += step;
          }}
        >
          Show {Math.min(step, shown.value.length - most.value)} more
        </button>
      )}
    </section>
  );
}

interface CellProps {
  value: unknown;
  column: Column;
  host: Host;
  place: Host['context']['value'];
}

function Cell({ value, column, host, place }: CellProps): VNode {
  if (!isScalar(value)) return <td class="nested">{summaryOf(value)}</td>;
  const text = formatValue(value, column, place);
  if (text === '') return <td class="none">–</td>;
  if (/^https?:\/\/\S+$/.test(text) && host.capabilities.openLinks) {
    const open = () => void host.request('ui/open-link', { url: text }).catch(() => {});
    return (
      <td class="text" title={text}>
        <button type="button" class="link" onClick={open}>
          {text.replace(/^https?:\/\//, '')}
        </button>
      </td>
    );
  }
  return (
    <td class={column.kind} title={text.length > 40 ? text : undefined}>
      {text}
    </td>
  );
}

function summaryOf(value: unknown): string {
  if (Array.isArray(value)) {
    const short = value.every(isScalar) ? value.join(', ') : '';
    return short !== '' && short.length <= 60 ? short : `${value.length} ${value.length === 1 ? 'item' : 'items'}`;
  }
  const { length } = Object.keys(Object(value));
  return `${length} ${length === 1 ? 'field' : 'fields'}`;
}
