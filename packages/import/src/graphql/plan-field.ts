import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isRequiredArgument,
  validate,
} from 'graphql';
import type { ImportContext } from '../plan/import-context.ts';
import { type OperationEntry, type OperationPlan, writtenParameter } from '../plan/plan-operation.ts';
import { planTests } from '../plan/plan-tests.ts';
import { type PlannedParameter, withFixedValue } from '../plan/planned-parameter.ts';
import { schemaShape } from '../plan/schema-shape.ts';
import { shortenText } from '../plan/shorten-text.ts';
import { operationKey } from './handlers-text.ts';
import { inputSchema, isSendable } from './input-schemas.ts';
import { operationDocument, operationText } from './operation-text.ts';
import { planSelection } from './plan-selection.ts';
import { selectionOutput } from './selection-output.ts';

/** A field of the query or mutation type, which becomes a tool. */
export interface RootField {
  kind: 'query' | 'mutation';
  /** The name of the type that has it. */
  owner: string;
  field: GraphQLField<unknown, unknown>;
}

const maxDescription = 400;

/** Plans the tool of a query or mutation. What it leaves out goes to the context, with schema coordinates. */
export function planField(
  { kind, owner, field }: RootField,
  { entry, schema, endpoint }: { entry: OperationEntry; schema: GraphQLSchema; endpoint: URL },
  given: ImportContext,
): OperationPlan {
  const context: ImportContext = {
    ...given,
    omit: (code, pointer, ...rest) => given.omit(code, coordinateOf(pointer), ...rest),
  };
  const coordinate = entry.operation.pointer;
  const args = field.args.filter((arg) => isArgumentSent(arg, coordinate, context));
  const parameters = args.map((arg) => planArgument(arg, { owner, field: field.name }, context)).map(withFixedValue);
  const type = getNamedType(field.type);
  const note = (place: string, reason: string) =>
    context.omit(
      'IMP032',
      place,
      `not asked for (${reason})`,
      'Add it to the operation in the file where callers need it.',
    );
  const selection = isCompositeType(type) ? planSelection({ coordinate, type }, schema, note) : undefined;
  const document = operationDocument({ kind, field, args, selection });
  const [problem] = validate(schema, document);
  if (problem !== undefined) {
    const message = `its operation is not valid: ${problem.message}`;
    context.leaveOut('IMP016', coordinate, message, 'Write the tool by hand, or report the schema to SchemaKit.');
  }
  const { schema: output, isCut } = selectionOutput(field, selection);
  if (isCut) {
    const hint = 'Answers are not affected. Describe what callers need in `output.schema`.';
    context.omit('IMP032', coordinate, 'deeper parts of the answer are not described', hint);
  }
  const tests = planTests({ method: kind === 'query' ? 'GET' : 'DELETE', parameters }, []);
  const described = describeField({ kind, owner, field });
  const path = endpoint.pathname.slice(endpoint.pathname.lastIndexOf('/'));
  return {
    entry,
    root: `${endpoint.origin}${endpoint.pathname.slice(0, -path.length)}`,
    auth: { headers: {}, parameters: [], requiredServerParams: [] },
    tool: {
      method: 'POST',
      path,
      description: described.text,
      parameters: [fixedOperation(operationText(document)), ...parameters].map(writtenParameter),
      ...(kind === 'query' && { annotations: { readOnlyHint: true } }),
      output: { mimeType: 'application/json', schema: output },
      ...(tests.length > 0 && { tests }),
    },
    notes: [
      ...(described.isCut ? [{ title: '', text: String(field.description) }] : []),
      ...parameters.flatMap(({ key, fullText }) => (fullText === undefined ? [] : [{ title: key, text: fullText }])),
    ],
    docs: undefined,
  };
}

function fixedOperation(value: string): PlannedParameter {
  return { key: operationKey, location: 'body', shape: { type: 'string' }, value, examples: [] };
}

function isArgumentSent(arg: GraphQLArgument, coordinate: string, context: ImportContext): boolean {
  const isRequired = isRequiredArgument(arg);
  const place = `${coordinate}(${arg.name}:)`;
  const isLeft = !isRequired && arg.deprecationReason != null;
  if (isLeft) context.omit('IMP020', place, 'a deprecated argument', 'The tool works without it.');
  if (isLeft || isSendable(arg.type)) return !isLeft;
  const message = `the argument ${arg.name}, which is a file`;
  if (isRequired) context.leaveOut('IMP013', place, message, 'Write the tool by hand, with a handler.');
  context.omit('IMP020', place, message, 'The tool works without it.');
  return false;
}

function planArgument(
  arg: GraphQLArgument,
  { owner, field }: { owner: string; field: string },
  context: ImportContext,
): PlannedParameter {
  const located = { value: inputSchema(arg), pointer: `/${owner}/fields/${field}/args/${arg.name}` };
  const { nullable, ...shape } = schemaShape(located, context, { sendsDefaults: true, takesFiles: false });
  return {
    key: arg.name,
    location: 'body',
    shape: { ...shape, ...(!isRequiredArgument(arg) && { optional: true }) },
    examples: [],
    ...(shortenText(arg.description, 240).isCut && { fullText: String(arg.description) }),
  };
}

/** The schema coordinate of a JSON Pointer into the shapes of arguments, such as `Query.pets(first:)` or `PetInput.name`. */
function coordinateOf(pointer: string): string {
  const [start, first, name, field, , arg] = pointer.split('/');
  if (start !== '') return pointer;
  if (first !== 'types') return `${first}.${field}(${arg}:)`;
  const member = /\/properties\/([^/]+)/.exec(pointer)?.[1];
  return member === undefined ? String(name) : `${name}.${member}`;
}

function describeField({ kind, field }: RootField): { text: string; isCut: boolean } {
  const { name, type, description, deprecationReason } = field;
  const note = deprecationReason == null ? '' : `Deprecated: ${deprecationReason.replace(/[.\s]*$/, '. ')}`;
  const { text, isCut } = shortenText(`${note}${description ?? ''}`, maxDescription);
  return { text: text || `The ${kind} ${name}, which answers with ${type}.`, isCut };
}
