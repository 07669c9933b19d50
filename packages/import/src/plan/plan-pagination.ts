import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import type { PlannedOutput } from './plan-output.ts';
import type { PlannedParameter } from './planned-parameter.ts';

const sizes = /^(per_?page|page_?size|limit|max_?results|page_?limit)$/i;
const cursors = /^(cursor|page_?token|next_?token|next_?cursor|starting_after|after|continuation_?token|continue)$/i;
const nextNames = /^(next_?cursor|next_?page_?token|next_?token|cursor|continuation_?token|continue|next)$/i;
const envelopes = /^(meta|metadata|pagination|paging|page_?info|response_?metadata)$/i;

/** How pages follow each other, only where the document leaves no doubt: the list in the answer and the parameter are both known. */
export function planPagination(
  { output, hasLinks }: PlannedOutput,
  { method, parameters }: { method: string; parameters: readonly PlannedParameter[] },
): JsonObject | undefined {
  const items = itemsPath(output.schema);
  if (method !== 'GET' || items === undefined) return undefined;
  if (hasLinks) return { style: 'link', items };
  const queries = parameters.filter(({ location, value }) => location === 'query' && value === undefined);
  const named = (pattern: RegExp, ...types: string[]) =>
    queries.find(({ key, shape }) => pattern.test(key) && types.includes(shape.type));
  const size = named(sizes, 'integer', 'number')?.key;
  const sized = size === undefined ? {} : { sizeParameter: size };
  const cursor = named(cursors, 'string');
  const next = cursor && nextPath(output.schema);
  if (cursor !== undefined && next !== undefined) {
    return { style: 'cursor', parameter: cursor.key, next, ...sized, items };
  }
  const page = named(/^(page|page_?number)$/i, 'integer', 'number');
  if (page !== undefined) {
    const start = page.shape.default ?? page.shape.min;
    return { style: 'page', parameter: page.key, ...(start === 0 && { start: 0 }), ...sized, items };
  }
  const offset = named(/^(offset|skip)$/i, 'integer', 'number');
  return offset && { style: 'offset', parameter: offset.key, ...sized, items };
}

/** The only list of the answer. */
function itemsPath({ type, properties }: JsonObject): string | undefined {
  if (type === 'array') return '';
  const lists = Object.entries(isObject(properties) ? properties : {}).filter(
    ([key, node]) => isObject(node) && node.type === 'array' && !/[.[\]]/.test(key),
  );
  return lists.length === 1 ? lists[0]?.[0] : undefined;
}

function nextPath({ properties }: JsonObject): string | undefined {
  if (!isObject(properties)) return undefined;
  const direct = Object.keys(properties).find((key) => nextNames.test(key));
  if (direct !== undefined) return direct;
  const [found] = Object.entries(properties).flatMap(([key, node]) => {
    const inner =
      envelopes.test(key) && isObject(node) && isObject(node.properties) ? Object.keys(node.properties) : [];
    const next = inner.find((name) => nextNames.test(name));
    return next === undefined ? [] : `${key}.${next}`;
  });
  return found;
}
