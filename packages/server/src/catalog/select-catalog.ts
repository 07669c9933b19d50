import { createToolCatalog, type ReloadableCatalog, type ToolCatalog } from './tool-catalog.ts';

/** Part of a catalog. A tool must match every field that is set; the entries of a field are alternatives. */
export interface ToolSelection {
  groups?: readonly string[];
  namespaces?: readonly string[];
  /** Tags of schemas, case-insensitive. */
  tags?: readonly string[];
  /** MCP names, or tool names as in the schema. */
  tools?: readonly string[];
}

/** The MCP names of the tools in each group. */
export type Groups = ReadonlyMap<string, Iterable<string>>;

/** Members by group. An iterator yields its names only once, and groups may be replaced at run time. */
const membersByGroup = new WeakMap<Iterable<string>, ReadonlySet<string>>();

function membersOf(names: Iterable<string> = []): ReadonlySet<string> {
  const members = membersByGroup.get(names) ?? new Set(names);
  membersByGroup.set(names, members);
  return members;
}

/**
 * The part of a catalog that a selection matches, in the same order. Prompts are kept with the namespaces of the remaining tools;
 * resources that belong to no tool are always kept. Unknown names match nothing.
 *
 * @example
 * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * const catalog = createToolCatalog(exposeSchemas(schemas));
 * console.log(selectCatalog(catalog, { tags: ['sea'] }).tools.count);
 */
export function selectCatalog(catalog: ToolCatalog, selection: ToolSelection, groups: Groups = new Map()): ToolCatalog {
  // Reading `tools.all` may load details from disk.
  if (selectionKey(selection) === '') return catalog;
  const named = selection.groups?.map((group) => membersOf(groups.get(group)));
  const { namespaces, tags, tools: toolNames } = selection;
  const tools = catalog.tools.all.filter(
    ({ listing: { name }, toolName, namespace, tags: toolTags }) =>
      (named === undefined || named.some((names) => names.has(name))) &&
      (namespaces === undefined || namespaces.includes(namespace)) &&
      (tags === undefined || toolTags.some((tag) => tags.some((selected) => isSameTag(selected, tag)))) &&
      (toolNames === undefined || toolNames.includes(name) || toolNames.includes(toolName)),
  );
  if (tools.length === catalog.tools.all.length) return catalog;
  const left = new Set(tools.map(({ namespace }) => namespace));
  return createToolCatalog(
    tools,
    catalog.prompts.all.filter(({ namespace }) => left.has(namespace)),
    catalog.resources.standalone,
  );
}

export function isSameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Equal for equal selections; empty for everything. */
function selectionKey({ groups, namespaces, tags, tools }: ToolSelection): string {
  const parts = [groups, namespaces, tags, tools];
  return parts.every((part) => part === undefined) ? '' : JSON.stringify(parts.map((part) => part && [...part].sort()));
}

// Callers choose selections by URL: this bounds the memory. Further ones are computed for each request.
const maxCachedViews = 100;

/** Views of a catalog by selection, cached until the catalog is replaced. `shape` changes each, for example into search tools. */
export function createCatalogViews(
  catalog: ReloadableCatalog,
  { groups, shape }: { groups: Groups; shape: (catalog: ToolCatalog) => ToolCatalog },
): (selection?: ToolSelection) => ReloadableCatalog {
  let base = catalog.current;
  let cached = new Map<string, ToolCatalog>();
  function view(selection: ToolSelection, key: string): ToolCatalog {
    if (catalog.current !== base) {
      base = catalog.current;
      cached = new Map();
    }
    const known = cached.get(key);
    if (known !== undefined) return known;
    const made = shape(selectCatalog(base, selection, groups));
    // The whole catalog is always cached: most clients ask for it.
    if (cached.size < maxCachedViews || key === '') cached.set(key, made);
    return made;
  }
  return (selection = {}) => {
    const key = selectionKey(selection);
    return {
      get current() {
        return view(selection, key);
      },
      replace: catalog.replace,
      subscribe: catalog.subscribe,
    };
  };
}
