import type { AnyNode, CallExpression } from 'acorn';
import { constantText, type ModuleSyntax, resolve, type Scope } from './module-syntax.ts';

/** An origin that code names in a call of `fetch`. */
export interface FetchedOrigin {
  /** Scheme, host and port. */
  origin: string;
  offset: number;
}

/** The origins that stand in the calls of `fetch`, each once. Code can hide others. */
export function fetchedOrigins({ references }: ModuleSyntax): readonly FetchedOrigin[] {
  const found = new Map<string, FetchedOrigin>();
  for (const { node, parent, scope, binding } of references) {
    if (node.name !== 'fetch' || binding !== undefined || !calls(parent, node)) continue;
    const [url] = parent.arguments;
    const origin = url && originIn(beginningOf(url, scope));
    if (origin !== undefined && !found.has(origin)) found.set(origin, { origin, offset: url?.start ?? node.start });
  }
  return [...found.values()];
}

function calls(parent: AnyNode, callee: AnyNode): parent is CallExpression {
  return parent.type === 'CallExpression' && parent.callee === callee;
}

/** The text with which an expression begins, and whether that is all of it. */
interface Beginning {
  text: string;
  isWhole: boolean;
}

const maxSteps = 20;

function beginningOf(node: AnyNode, scope: Scope, steps: number = maxSteps): Beginning | undefined {
  if (steps === 0) return undefined;
  const whole = constantText(node, scope);
  if (whole !== undefined) return { text: whole, isWhole: true };
  const inner = (part: AnyNode | null | undefined): Beginning | undefined => {
    const begun = part ? beginningOf(part, scope, steps - 1) : undefined;
    return begun && { ...begun, isWhole: false };
  };
  switch (node.type) {
    case 'TemplateLiteral': {
      const text = node.quasis[0]?.value.cooked ?? '';
      return text === '' ? inner(node.expressions[0]) : { text, isWhole: false };
    }
    case 'BinaryExpression':
      return node.operator === '+' ? inner(node.left) : undefined;
    case 'NewExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'URL' && node.arguments.length === 1
        ? inner(node.arguments[0])
        : undefined;
    case 'Identifier': {
      const binding = resolve(node.name, scope);
      const declaration = binding?.declaration;
      if (binding?.kind !== 'const' || declaration?.type !== 'VariableDeclarator') return undefined;
      return declaration.id.type === 'Identifier' ? inner(declaration.init) : undefined;
    }
    default:
      return undefined;
  }
}

/** The origin of a URL, if the text has all of it: what is computed may continue the host. */
function originIn(beginning: Beginning | undefined): string | undefined {
  if (beginning === undefined) return undefined;
  const { text, isWhole } = beginning;
  const host = /^https?:\/\/[^\s/?#\\]+/i.exec(text)?.[0];
  if (host === undefined || (!isWhole && host.length === text.length)) return undefined;
  return URL.parse(host)?.origin;
}
