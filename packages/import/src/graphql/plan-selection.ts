import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** A field that an operation asks for. */
export interface SelectedField {
  field: Field;
  /** Its name in the answer, where types of a union have different fields of the same name. */
  alias?: string;
  /** Fixed arguments, such as `first: 10`. */
  args?: string;
  /** Of an object. */
  selection?: Selection;
}

/** What is asked of an object. */
export interface Selection {
  type: GraphQLCompositeType;
  fields: SelectedField[];
  fragments: { on: GraphQLObjectType; fields: SelectedField[] }[];
}

/** Says that a field of the answer is not asked for. `place` is a schema coordinate. */
export type NoteCut = (place: string, reason: string) => void;

/** Deeper answers are hard to read for models, and servers limit the depth and the cost of operations. */
const maxDepth = 3;
const maxFields = 60;
const maxFragments = 8;
/** Items of a list inside of an answer, where its page size can be given. */
const innerItems = 10;

/** An object whose fields are still to be selected. */
interface Place {
  selection: Selection;
  depth: number;
  /** The types that it is inside of. */
  ancestors: ReadonlySet<string>;
  /** The field that leads to it. */
  coordinate: string;
  isEdge: boolean;
}

/**
 * Selects what an operation asks of an object: level by level, first the values, then the objects, until there are enough. The pages and
 * edges of connections are no levels of their own. Objects of which nothing can be asked are left out.
 */
export function planSelection(
  root: { coordinate: string; type: GraphQLCompositeType },
  schema: GraphQLSchema,
  note: NoteCut,
): Selection {
  const top: Selection = { type: root.type, fields: [], fragments: [] };
  const ancestors = new Set([root.type.name]);
  const queue: Place[] = [{ selection: top, depth: 1, ancestors, coordinate: root.coordinate, isEdge: false }];
  let left = maxFields;
  for (const place of queue) {
    if (left <= 0) note(place.coordinate, `more than ${maxFields} fields`);
    else fill(place);
  }
  prune(top);
  return top;

  function fill(place: Place): void {
    const { type, fields, fragments } = place.selection;
    if (!isUnionType(type)) fields.push(...choose(type, Object.values(type.getFields()), place));
    if (!isAbstractType(type)) return;
    const members = schema.getPossibleTypes(type);
    const own = isInterfaceType(type) ? type.getFields() : {};
    for (const on of members.slice(0, maxFragments)) {
      const others = Object.values(on.getFields()).filter(({ name }) => !Object.hasOwn(own, name));
      const inner = { ...place, ancestors: new Set([...place.ancestors, on.name]) };
      const chosen = choose(on, others, inner).map((each) => withAlias(each, on, members));
      fragments.push({ on, fields: chosen });
    }
    for (const { name } of members.slice(maxFragments)) note(name, `more than ${maxFragments} types of ${type.name}`);
  }

  function choose(type: GraphQLCompositeType, all: readonly Field[], place: Place): SelectedField[] {
    const usable = all.flatMap((field) => {
      const coordinate = `${type.name}.${field.name}`;
      const problem = fieldProblem(field, type, place);
      if (problem === undefined) return [{ field, coordinate, inner: getNamedType(field.type) }];
      note(coordinate, problem);
      return [];
    });
    const values = usable.flatMap(({ field, coordinate, inner }): SelectedField[] => {
      if (isCompositeType(inner)) return [];
      left -= 1;
      if (left >= 0) return [{ field }];
      note(coordinate, `more than ${maxFields} fields`);
      return [];
    });
    const objects = usable.flatMap(({ field, coordinate, inner }): SelectedField[] => {
      if (!isCompositeType(inner)) return [];
      const isPart = place.isEdge
        ? field.name === 'node'
        : isConnection(type) && /^(pageInfo|nodes|edges)$/.test(field.name);
      const depth = isPart ? place.depth : place.depth + 1;
      const isBack = [inner, itemType(inner)].some(({ name }) => !isPart && place.ancestors.has(name));
      if (isBack || depth > maxDepth) {
        note(coordinate, isBack ? `leads back to ${itemType(inner).name}` : `below level ${maxDepth} of an answer`);
        return [];
      }
      const selection: Selection = { type: inner, fields: [], fragments: [] };
      const ancestors = new Set([...place.ancestors, inner.name]);
      queue.push({ selection, depth, ancestors, coordinate, isEdge: isPart && field.name === 'edges' });
      const size = field.args.find(
        ({ name, type: given }) => /^(first|limit)$/.test(name) && getNamedType(given).name === 'Int',
      );
      if (size === undefined) return [{ field, selection }];
      note(coordinate, `more than the first ${innerItems} items`);
      return [{ field, selection, args: `${size.name}: ${innerItems}` }];
    });
    return [...values, ...objects];
  }
}

function fieldProblem(field: Field, type: GraphQLCompositeType, { isEdge }: Place): string | undefined {
  if (field.deprecationReason != null) return 'deprecated';
  const needed = field.args.filter((arg) => isRequiredArgument(arg) && !/^(first|limit)$/.test(arg.name));
  if (needed.length > 0) return `needs arguments: ${needed.map(({ name }) => name).join(', ')}`;
  if (isEdge && field.name === 'cursor') return '`endCursor` of the page says where to go on';
  if (field.name === 'edges' && isObjectType(type) && isConnection(type) && hasNodes(type))
    return '`nodes` has the same objects';
  return undefined;
}

/** A page of a list, in the way of Relay or with `nodes`. */
function isConnection(type: GraphQLCompositeType): boolean {
  if (!isObjectType(type) || type.getFields().pageInfo === undefined) return false;
  return hasNodes(type) || type.getFields().edges !== undefined;
}

/** What is on the pages of a connection; any other type itself. */
export function itemType(type: GraphQLCompositeType): GraphQLCompositeType {
  if (!isObjectType(type) || !isConnection(type)) return type;
  const { nodes, edges } = type.getFields();
  const edge = edges === undefined ? undefined : getNamedType(edges.type);
  const node = nodes ?? (isObjectType(edge) ? edge.getFields().node : undefined);
  const item = node === undefined ? undefined : getNamedType(node.type);
  return isCompositeType(item) ? item : type;
}

function hasNodes(type: GraphQLObjectType): boolean {
  const { nodes } = type.getFields();
  return nodes !== undefined && isCompositeType(getNamedType(nodes.type)) && nodes.deprecationReason == null;
}

/** Fields of the same name must have the same type in all types of an answer (GraphQL, "Field Selection Merging"). */
function withAlias(
  selected: SelectedField,
  on: GraphQLObjectType,
  members: readonly GraphQLObjectType[],
): SelectedField {
  const { name } = selected.field;
  const types = new Set(members.flatMap((member) => member.getFields()[name]?.type.toString() ?? []));
  return types.size < 2 ? selected : { ...selected, alias: `${name}_${on.name}` };
}

/** Removes objects of which nothing is asked. Of a type of several, its name can be asked. */
function prune(selection: Selection): void {
  const keep = ({ selection: inner }: SelectedField) => {
    if (inner === undefined) return true;
    const isKind = isAbstractType(inner.type) && inner.fields.length + inner.fragments.length > 0;
    prune(inner);
    return isKind || inner.fields.length > 0;
  };
  selection.fields = selection.fields.filter(keep);
  selection.fragments = selection.fragments
    .map(({ on, fields }) => ({ on, fields: fields.filter(keep) }))
    .filter(({ fields }) => fields.length > 0);
}
