import type { AnyNode, ObjectPattern, Pattern } from 'acorn';
import { iterate } from './fold-literals.ts';
import { keyOf, readable, readMember } from './fold-members.ts';
import { type Folded, isFoldedObject, type Locals, setOwn, unset } from './folded-value.ts';
import type { Folding } from './folding.ts';
import { needsEvaluation, wouldThrow } from './not-foldable.ts';

/** How a pattern takes a value apart: with which names its defaults are read, and where its own names go. */
export interface PatternTarget {
  locals: Locals | undefined;
  set(name: string, value: Folded): void;
}

/** Takes a value apart the way a declaration or a parameter does. */
export function bindPattern(folding: Folding, pattern: Pattern, value: Folded, target: PatternTarget): void {
  switch (pattern.type) {
    case 'Identifier':
      target.set(pattern.name, value);
      return;
    case 'AssignmentPattern': {
      const given = value === undefined ? folding.fold(pattern.right, target.locals) : value;
      bindPattern(folding, pattern.left, given, target);
      return;
    }
    case 'ArrayPattern': {
      const items = [...iterate(value, pattern)];
      folding.steps += items.length;
      pattern.elements.forEach((element, index) => {
        if (element?.type === 'RestElement') bindPattern(folding, element.argument, items.slice(index), target);
        else if (element !== null) bindPattern(folding, element, items[index], target);
      });
      return;
    }
    case 'ObjectPattern':
      bindObjectPattern(folding, pattern, value, target);
      return;
    default:
      needsEvaluation(pattern, 'an assignment stands inside the value');
  }
}

function bindObjectPattern(folding: Folding, pattern: ObjectPattern, value: Folded, target: PatternTarget): void {
  if (value === null || value === undefined) wouldThrow(pattern, `${value} is taken apart`);
  const taken = new Set<string>();
  for (const property of pattern.properties) {
    if (property.type === 'RestElement') {
      if (!isFoldedObject(value)) needsEvaluation(property, 'the rest of something that is not an object is taken');
      const rest: { [key: string]: Folded } = {};
      const entries = Object.entries(value);
      folding.steps += entries.length;
      for (const [key, part] of entries) if (!taken.has(key)) setOwn(rest, key, readable(part, property));
      bindPattern(folding, property.argument, rest, target);
      continue;
    }
    const { key: name } = property;
    const isName = !property.computed && name.type === 'Identifier';
    const key = isName ? name.name : keyOf(folding.fold(name, target.locals), name);
    taken.add(key);
    bindPattern(folding, property.value, readMember(value, key, property), target);
  }
}

/** Declares the names of a pattern without giving them values. */
export function declarePattern(pattern: AnyNode, names: Map<string, Folded | typeof unset>): void {
  switch (pattern.type) {
    case 'Identifier':
      names.set(pattern.name, unset);
      return;
    case 'AssignmentPattern':
      declarePattern(pattern.left, names);
      return;
    case 'RestElement':
      declarePattern(pattern.argument, names);
      return;
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element !== null) declarePattern(element, names);
      return;
    case 'ObjectPattern':
      for (const part of pattern.properties)
        declarePattern(part.type === 'RestElement' ? part.argument : part.value, names);
      return;
  }
}
