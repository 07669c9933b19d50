import type { AnyNode } from 'acorn';
import type { Finding } from '../format/finding.ts';
import { listFinding } from '../format/list-codes.ts';
import type { ModuleText } from './module-text.ts';
import { parseModule } from './parse-module.ts';
import { forEachPart } from './syntax-children.ts';
import { offsetLocator } from './text-position.ts';

type CodeKind = 'SEC200' | 'SEC201' | 'SEC202' | 'SEC203';

const kinds: Readonly<Record<CodeKind, string>> = {
  SEC200: 'a function',
  SEC201: 'an arrow function',
  SEC202: 'async or await',
  SEC203: 'a template with expressions',
};

/** Without any of these in its text, a file holds no code of these kinds. With one, it may. */
const traces = /=>|\)\s*\{|\bfunction\b|\basync\b|\bawait\b|\$\{|`/;

/**
 * Finds code in the file of a shared list: of each kind the first one.
 *
 * @param isData - Whether the list could be read all the same. What can be read is data, so code is then a warning.
 */
export function findListCode({ text }: ModuleText, { file, isData }: { file: string; isData: boolean }): Finding[] {
  if (!traces.test(text)) return [];
  const parsed = parseModule(text);
  if (parsed.status === 'failed') return [];
  const position = offsetLocator(text);
  return [...firstPlaces(parsed.program)].map(([code, offset]) => {
    const finding = listFinding(code, '', `the file of a shared list has ${kinds[code]}`, {
      severity: isData ? 'warning' : 'error',
      hint: 'A list is data: write its values out.',
    });
    return { ...finding, file, ...position(offset) };
  });
}

function firstPlaces(program: AnyNode): ReadonlyMap<CodeKind, number> {
  const places = new Map<CodeKind, number>();
  const visit = (node: AnyNode): void => {
    const kind = kindOf(node);
    if (kind !== undefined && !places.has(kind)) places.set(kind, node.start);
    forEachPart(node, visit);
  };
  visit(program);
  return places;
}

function kindOf(node: AnyNode): CodeKind | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return node.async ? 'SEC202' : 'SEC200';
    case 'ArrowFunctionExpression':
      return node.async ? 'SEC202' : 'SEC201';
    case 'AwaitExpression':
      return 'SEC202';
    case 'ForOfStatement':
      return node.await ? 'SEC202' : undefined;
    case 'TaggedTemplateExpression':
      return 'SEC203';
    case 'TemplateLiteral':
      return node.expressions.length > 0 ? 'SEC203' : undefined;
    default:
      return undefined;
  }
}
