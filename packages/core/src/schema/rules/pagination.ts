import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import type { Place } from '../rule-report.ts';
import type { Pagination } from '../schema.ts';
import { reportUnknownFields, textField } from './fields.ts';

const examples = {
  page: "{ style: 'page', parameter: 'page', items: 'data.items' }",
  offset: "{ style: 'offset', parameter: 'offset', items: 'data.items' }",
  cursor: "{ style: 'cursor', parameter: 'cursor', next: 'data.next', items: 'data.items' }",
  link: "{ style: 'link', items: 'data.items' }",
} as const;
/** Fields that mean nothing with a style. */
const unused: Readonly<Record<string, readonly (keyof Pagination)[]>> = {
  page: ['next'],
  offset: ['next'],
  link: ['parameter', 'start', 'sizeParameter'],
};
const styles = valuesOf['Pagination.style'];
const mostPages = 50;

/** Parses `pagination` of a tool. Undefined, so that a call reads one page, if it cannot be used. */
export function parsePagination(value: unknown, { path, report }: Place): Pagination | undefined {
  if (value === undefined) return undefined;
  const place = `${path}.pagination`;
  const style = styles.find((one) => isObject(value) && value.style === one);
  const refuse = (at: string, problem: string) =>
    report(
      'VAL083',
      at,
      `${problem}; calls read one page (${path})`,
      `Write pagination: ${examples[style ?? 'page']}.`,
    );
  if (!isObject(value)) return refuse(place, 'pagination must be an object');
  reportUnknownFields(value, fieldsOf.Pagination, { path: place, report });
  const faults = [...faultsOf(value)];
  for (const [name, problem] of faults) refuse(`${place}.${name}`, problem);
  for (const name of (style && unused[style]) ?? []) {
    if (value[name] === undefined) continue;
    const message = `pagination.${name} means nothing with the style ${style} (${path})`;
    report(
      'VAL083',
      `${place}.${name}`,
      message,
      `Remove it, or write another style, such as pagination: ${examples.cursor}.`,
    );
  }
  if (faults.length > 0 || style === undefined) return undefined;
  const { items, parameter = '', start = style === 'page' ? 1 : 0, sizeParameter, next, maxPages = 5 } = value;
  // All fields were checked.
  return {
    style,
    ...(items !== undefined && { items: keysOf(String(items)) }),
    maxPages: Number(maxPages),
    parameter: String(parameter),
    start: Number(start),
    ...(sizeParameter !== undefined && { sizeParameter: String(sizeParameter) }),
    ...(next !== undefined && { next: keysOf(String(next)) }),
  };
}

/** The fields that are missing or not valid, and what is wrong with them. */
function* faultsOf(pagination: Fields): Generator<[name: string, problem: string]> {
  const { style, start, maxPages = 5 } = pagination;
  const isKnown = styles.some((one) => one === style);
  if (!isKnown) yield ['style', `pagination.style must be ${styles.join(', ')}`];
  for (const [name, isNeeded] of [
    ['parameter', isKnown && style !== 'link'],
    ['sizeParameter', false],
    ['next', style === 'cursor'],
  ] as const) {
    if (pagination[name] === undefined) {
      if (isNeeded) yield [name, `pagination of the style ${style} needs ${name}`];
    } else if ((textField(pagination, name) ?? '') === '') yield [name, `pagination.${name} must be text`];
  }
  for (const name of ['items', 'next']) {
    const { [name]: keys } = pagination;
    const isPath = keys === undefined || (typeof keys === 'string' && !/^[$/.]|[[\]*]/.test(keys));
    if (!isPath) yield [name, `pagination.${name} must be keys with dots between them, such as data.${name}`];
  }
  if (start !== undefined && !isWhole(start)) yield ['start', 'pagination.start must be a whole number'];
  if (!isWhole(maxPages) || maxPages < 1 || maxPages > mostPages) {
    yield ['maxPages', `pagination.maxPages must be a whole number from 1 to ${mostPages}`];
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function keysOf(path: string): string[] {
  return path === '' ? [] : path.split('.');
}
