import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  isAbstractType,
  isNonNullType,
  parse,
  print,
} from 'graphql';
import type { SelectedField, Selection } from './plan-selection.ts';

interface Operation {
  kind: 'query' | 'mutation';
  field: GraphQLField<unknown, unknown>;
  /** The arguments that are variables of the same name. */
  args: readonly GraphQLArgument[];
  /** Undefined for a field that is a value. */
  selection: Selection | undefined;
}

/** An operation for one field. It has only names of the schema in it: what callers give are variables. */
export function operationDocument({ kind, field: { name }, args, selection }: Operation): DocumentNode {
  const variables = args.map((arg) => `$${arg.name}: ${variableType(arg)}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const inner = selection === undefined ? '' : selectionText(selection);
  return parse(`${kind} ${name}${inBrackets(variables)} { ${name}${inBrackets(given)} ${inner} }`, {
    noLocation: true,
  });
}

/** With a line for each field, so that no braces stand together as in a placeholder of the format. */
export function operationText(document: DocumentNode): string {
  return print(document);
}

/** A variable that is not sent leaves the default of the argument in place, if its type has null in it. */
function variableType({ type, default: value }: GraphQLArgument): string {
  return value !== undefined && isNonNullType(type) ? type.ofType.toString() : type.toString();
}

function inBrackets(text: string): string {
  return text === '' ? '' : `(${text})`;
}

function selectionText({ type, fields, fragments }: Selection): string {
  const isUnnamed = isAbstractType(type) || fields.length === 0;
  const parts = [
    ...(isUnnamed ? ['__typename'] : []),
    ...fields.map(fieldText),
    ...fragments.map(({ on, fields: own }) => `... on ${on.name} { ${own.map(fieldText).join(' ')} }`),
  ];
  return `{ ${parts.join(' ')} }`;
}

function fieldText({ field, alias, args = '', selection }: SelectedField): string {
  const name = alias === undefined ? field.name : `${alias}: ${field.name}`;
  return `${name}${inBrackets(args)}${selection === undefined ? '' : ` ${selectionText(selection)}`}`;
}
