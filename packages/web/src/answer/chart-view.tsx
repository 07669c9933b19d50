import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Panel } from './find-series.ts';
import { formatNumber, type Place } from './format-value.ts';
import { day, scaleOf, ticksOf, timeTicks } from './scale.ts';

const height = 112;
const axisHeight = 20;
const edge = { left: 56, right: 12, top: 10, bottom: 6 };

/** Numbers over time: a panel for each, with its own scale, over the same times. Arrow keys read values, as a pointer does. */
export function ChartView({ panels, ...given }: { panels: readonly Panel[]; place: Place }): VNode {
  const place = { locale: given.place.locale, timeZone: panels[0]?.hasZone === true ? given.place.timeZone : 'UTC' };
  const width = useSignal(640);
  const box = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      width.value = Math.max(280, current.clientWidth);
    });
    observer.observe(current);
    return () => observer.disconnect();
  });
  const times = useComputed(() => {
    const all = panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ time }) => time)));
    return [...new Set(all)].sort((one, other) => one - other);
  });
  const at = useSignal<number | undefined>(undefined);
  const [first = 0, last = 1] = [times.value[0], times.value.at(-1)];
  const x = scaleOf([first, last], [edge.left, width.value - edge.right]);
  const point = (clientX: number, target: Element) => {
    const wanted = clientX - target.getBoundingClientRect().left;
    const distances = times.value.map((time) => Math.abs(x(time) - wanted));
    at.value = distances.indexOf(Math.min(...distances));
  };
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY }[
      event.key
    ];
    if (by === undefined) return;
    event.preventDefault();
    at.value = Math.min(times.value.length - 1, Math.max(0, (at.value ?? -1) + by));
  };
  const time = at.value === undefined ? undefined : times.value[at.value];
  const names = [...new Set(panels.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  return (
    <div class="chart" ref={box}>
      {names.length > 1 && (
        <ul class="legend">
          {names.map((name, index) => (
            <li key={name} class={`line-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <p class="reading" role="status">
        {time === undefined ? spanText(first, last, place) : timeText(time, place)}
      </p>
      <div
        class="panels"
        role="slider"
        tabIndex={0}
        aria-label="Time"
        aria-valuemin={0}
        aria-valuemax={times.value.length - 1}
        aria-valuenow={at.value ?? 0}
        aria-valuetext={time === undefined ? 'no time chosen' : readingOf(panels, time, place)}
        onKeyDown={move}
        onPointerMove={({ clientX, currentTarget }) => point(clientX, currentTarget)}
        onPointerLeave={() => {
          at.value = undefined;
        }}
      >
        {panels.map((panel, index) => (
          <PanelView
            key={panel.name}
            panel={panel}
            place={place}
            width={width.value}
            x={x}
            time={time}
            axis={index === panels.length - 1 ? [first, last] : undefined}
          />
        ))}
      </div>
    </div>
  );
}

interface PanelProps {
  panel: Panel;
  place: Place;
  width: number;
  x: (time: number) => number;
  /** Whose values are shown. */
  time: number | undefined;
  /** The times of the axis below it. */
  axis: readonly [number, number] | undefined;
}

function PanelView({ panel: { name, lines }, place, width, x, time, axis }: PanelProps): VNode {
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const ticks = ticksOf(Math.min(...values), Math.max(...values), 3);
  const bottom = height - edge.bottom;
  const y = scaleOf([ticks[0] ?? 0, ticks.at(-1) ?? 1], [bottom, edge.top]);
  const read = lines.flatMap(({ points }, index) => {
    const point = points.find((each) => each.time === time);
    return point === undefined ? [] : [{ ...point, index }];
  });
  const lastPoint = lines.length === 1 ? lines[0]?.points.at(-1) : undefined;
  const shown = read.length === 1 ? read[0]?.value : read.length === 0 ? lastPoint?.value : undefined;
  return (
    <figure>
      <figcaption>
        <span>{name}</span>
        {shown !== undefined && <b>{formatNumber(shown, place)}</b>}
        {read.length > 1 && (
          <b>
            {read.map(({ value, index }) => (
              <span key={index} class={`line-${index}`}>
                {formatNumber(value, place)}
              </span>
            ))}
          </b>
        )}
      </figcaption>
      <svg width={width} height={axis === undefined ? height : height + axisHeight} aria-hidden="true">
        {ticks.map((tick) => (
          <g key={tick} class="tick">
            <line x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
            <text x={edge.left - 8} y={y(tick)} dy="0.32em">
              {formatNumber(tick, place, 6)}
            </text>
          </g>
        ))}
        {axis !== undefined &&
          timeTicks(axis, (width - edge.left) / 90).map(({ time: tick, step }) => (
            <text key={tick} class="time" x={x(tick)} y={height + axisHeight - 6}>
              {new Intl.DateTimeFormat(place.locale, { ...axisParts(step), timeZone: place.timeZone }).format(tick)}
            </text>
          ))}
        {lines.map(({ name: line, points }, index) => (
          <path
            key={line}
            class={`line-${index}`}
            d={points
              .map(
                (point, number) =>
                  `${number === 0 ? 'M' : 'L'}${x(point.time).toFixed(1)} ${y(point.value).toFixed(1)}`,
              )
              .join('')}
          />
        ))}
        {time !== undefined && <line class="cursor" x1={x(time)} x2={x(time)} y1={edge.top} y2={bottom} />}
        {read.map(({ time: when, value, index }) => (
          <circle key={index} class={`line-${index}`} cx={x(when)} cy={y(value)} r="3.5" />
        ))}
      </svg>
    </figure>
  );
}

/** What tells the times of an axis apart. */
function axisParts(step: number): Intl.DateTimeFormatOptions {
  if (step < day) return { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
  if (step < 28 * day) return { day: 'numeric', month: 'short' };
  return step < 365 * day ? { month: 'short', year: 'numeric' } : { year: 'numeric' };
}

function timeText(time: number, { locale, timeZone }: Place): string {
  const isDay = timeZone === 'UTC' && time % day === 0;
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    ...(!isDay && { timeStyle: 'short' }),
    timeZone,
  }).format(time);
}

function spanText(first: number, last: number, { locale, timeZone }: Place): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  return format.formatRange(first, last);
}

function readingOf(panels: readonly Panel[], time: number, place: Place): string {
  const values = panels.flatMap(({ name, lines }) =>
    lines.flatMap((line) => {
      const point = line.points.find((each) => each.time === time);
      return point === undefined ? [] : `${line.name || name} ${formatNumber(point.value, place)}`;
    }),
  );
  return `${timeText(time, place)}: ${values.join(', ')}`;
}
