import { isObject } from '@schemakit/core/internal';
import type { ImportCode } from '../import-codes.ts';
import { type ImportContext, LeftOut, type Located } from '../plan/import-context.ts';
import type { OperationEntry } from '../plan/plan-operation.ts';
import { joinPointer } from './json-pointer.ts';
import type { JsonObject } from './read-document.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace', 'query'];

/** The operations of a document, in the order of their paths. */
export function operationsOf(
  document: JsonObject,
  { resolve, omit }: Pick<ImportContext, 'resolve' | 'omit'>,
): OperationEntry[] {
  const paths = isObject(document.paths) ? document.paths : {};
  const known = new Set<string>();
  return Object.keys(paths)
    .toSorted()
    .flatMap((path) => {
      const found = path.startsWith('x-') ? undefined : itemAt(path);
      return (found === undefined ? [] : entriesOf(found, path)).filter(({ method, operation }) => {
        const template = `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`;
        if (!known.has(template)) return known.add(template);
        const hint = 'Only one of them can answer. Remove the other from the document.';
        omit('IMP015', operation.pointer, `another operation has the same method and path as ${method} ${path}`, hint);
        return false;
      });
    });

  function itemAt(path: string): Located<JsonObject> | undefined {
    try {
      const { value, pointer } = resolve({ value: paths[path], pointer: joinPointer('/paths', path) });
      return isObject(value) ? { value, pointer } : undefined;
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      const { code, pointer, message, hint } = error.omission;
      omit(code as ImportCode, pointer, `${path}: ${message}`, hint);
      return undefined;
    }
  }
}

function entriesOf(pathItem: Located<JsonObject>, path: string): OperationEntry[] {
  const { value, pointer } = pathItem;
  // OpenAPI 3.2: methods beyond those that have a field of their own.
  const others = isObject(value.additionalOperations) ? Object.entries(value.additionalOperations) : [];
  const own = methods.map((method) => [method.toUpperCase(), value[method], joinPointer(pointer, method)] as const);
  const additional = others.map(
    ([method, operation]) => [method, operation, joinPointer(pointer, 'additionalOperations', method)] as const,
  );
  return [...own, ...additional].flatMap(([method, operation, at]): OperationEntry[] =>
    isObject(operation) ? [{ method, path, pathItem, operation: { value: operation, pointer: at } }] : [],
  );
}

/** Whether an operation is one of those that were asked for. */
export function isSelected(
  { method, path, operation }: OperationEntry,
  { select = [], tags = [] }: { select?: readonly string[] | undefined; tags?: readonly string[] | undefined },
): boolean {
  const { operationId, tags: own } = operation.value;
  const names = [`${method} ${path}`, path, String(operationId ?? '')];
  const isNamed = select.length === 0 || select.some((pattern) => names.some((name) => matches(name, pattern)));
  return isNamed && (tags.length === 0 || (Array.isArray(own) && own.some((tag) => tags.includes(String(tag)))));
}

/** `*` stands for any text. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const lower = text.toLowerCase();
  if (!lower.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return lower.length === first.length;
  let at = first.length;
  for (const part of rest) {
    const found = lower.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return lower.length - last.length >= at && lower.endsWith(last);
}
