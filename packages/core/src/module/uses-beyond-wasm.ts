import { missingNames } from '../handlers/wasm/unsupported.ts';
import type { ModuleParts } from './module-program.ts';

/** Something that code uses and WebAssembly does not have. */
export interface UseBeyondWasm {
  name: string;
  isLibrary: boolean;
  offset: number;
}

/** The first use of each name and of each library that handlers in WebAssembly do not have. Code that asks first whether a name is there knows what to do. */
export function usesBeyondWasm({ syntax, libraryImports }: ModuleParts): readonly UseBeyondWasm[] {
  const free = syntax.references.filter(
    ({ node, binding }) => binding === undefined && missingNames.includes(node.name),
  );
  const names = missingNames.flatMap((name) => {
    const uses = free.filter(({ node }) => node.name === name);
    const asks = uses.some(({ parent }) => parent?.type === 'UnaryExpression' && parent.operator === 'typeof');
    const [first] = uses;
    return first === undefined || asks ? [] : [{ name, isLibrary: false, offset: first.node.start }];
  });
  const libraries = new Map(libraryImports.map(({ library, node }) => [library, node.start] as const).reverse());
  return [...names, ...[...libraries].map(([name, offset]) => ({ name, isLibrary: true, offset }))];
}
