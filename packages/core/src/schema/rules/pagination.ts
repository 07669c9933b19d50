import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { isObject } from '../json.ts';
import type { Place } from '../rule-report.ts';
import type { Pagination } from '../schema.ts';
import { reportUnknownFields, textField } from './fields.ts';

const hint = "Write pagination: { style: 'page', parameter: 'page', items: 'data.items' }.";
const styles = valuesOf['Pagination.style'];
const mostPages = 50;

/** Parses `pagination` of a tool. Undefined, so that a call reads one page, if it cannot be used. */
export function parsePagination(value: unknown, { path, report }: Place): Pagination | undefined {
  if (value === undefined) return undefined;
  const place = `${path}.pagination`;
  const refuse = (at: string, problem: string) =>
    report('VAL083', at, `${problem}; calls read one page (${path})`, hint);
  if (!isObject(value)) return refuse(place, 'pagination must be an object');
  reportUnknownFields(value, fieldsOf.Pagination, { path: place, report });
  const { items, start, maxPages = 5 } = value;
  const style = styles.find((one) => one === value.style);
  if (style === undefined) return refuse(`${place}.style`, `pagination.style must be ${styles.join(', ')}`);
  if (typeof items !== 'string') return refuse(`${place}.items`, 'pagination.items must be text, such as data.items');
  const parameter = textField(value, 'parameter') ?? '';
  if (parameter === '' && style !== 'link')
    return refuse(`${place}.parameter`, `pagination of the style ${style} needs a parameter`);
  const next = textField(value, 'next');
  if (next === undefined && style === 'cursor')
    return refuse(`${place}.next`, 'pagination of the style cursor needs next');
  if (!isWhole(maxPages) || maxPages < 1 || maxPages > mostPages) {
    return refuse(`${place}.maxPages`, `pagination.maxPages must be a whole number from 1 to ${mostPages}`);
  }
  if (start !== undefined && !isWhole(start))
    return refuse(`${place}.start`, 'pagination.start must be a whole number');
  const sizeParameter = textField(value, 'sizeParameter');
  return {
    style,
    items: keysOf(items),
    maxPages,
    parameter,
    start: start ?? (style === 'page' ? 1 : 0),
    ...(sizeParameter !== undefined && { sizeParameter }),
    ...(next !== undefined && { next: keysOf(next) }),
  };
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function keysOf(path: string): string[] {
  return path === '' ? [] : path.split('.');
}
