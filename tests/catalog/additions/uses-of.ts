/** `main` of a schema, as JSON. */
export type Main = Fields & { tools: Record<string, Fields> };
type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

/** A place of a schema that uses an addition. */
export interface Use {
  /** As the table in docs/format.md calls it. */
  addition: string;
  form: string;
  path: Path;
  /** The schema as one would write it without the addition. */
  without: Main;
}

/** What is written where there are no shapes, by the outermost part of the shape. */
const plain: Fields = { array: 'array()', integer: 'number()', file: 'string()' };

/** Each use of each addition in a schema. */
export function usesOf(main: Main): Use[] {
  const uses: Use[] = [];
  const add = (addition: string, form: string, path: Path, instead?: unknown) =>
    uses.push({ addition, form, path, without: replaced(main, path, instead) });
  const { auth, signature, tools } = main as { auth?: Fields; signature?: Fields; tools: Main['tools'] };
  const onAuth = 'auth of main, auth: false of a tool';
  if (auth) add(onAuth, [auth.type, auth.in].filter(Boolean).join(' '), ['auth']);
  if (signature) add('signature of main', String(signature.in), ['signature']);
  for (const [name, tool] of Object.entries(tools)) {
    const at = ['tools', name];
    if (tool.auth === false) add(onAuth, 'false', [...at, 'auth']);
    if (tool.pagination) add('pagination of a tool', paging(tool.pagination as Fields), [...at, 'pagination']);
    if (tool.encoding) add('encoding of a tool', String(tool.encoding), [...at, 'encoding']);
    if (tool.accept) add('accept of a tool', /^text/.test(String(tool.accept)) ? 'text' : 'bytes', [...at, 'accept']);
    for (const field of ['headers', 'annotations', 'idempotency']) {
      if (tool[field]) add(`${field} of a tool`, field, [...at, field]);
    }
    for (const [index, test] of ((tool.tests ?? []) as Fields[]).entries()) {
      const [form] = Object.keys((test._expect ?? {}) as Fields);
      if (form) add('_expect of a test (Assertions)', form, [...at, 'tests', index, '_expect']);
    }
    for (const [index, parameter] of ((tool.parameters ?? []) as Record<'position' | 'z', Fields>[]).entries()) {
      addOfParameter(parameter, [...at, 'parameters', index], add);
    }
  }
  return uses;
}

function paging({ style, next }: Fields): string {
  return style === 'link' ? `link in the ${next === undefined ? 'header' : 'body'}` : String(style);
}

function addOfParameter(
  { position, z }: Record<'position' | 'z', Fields>,
  at: Path,
  add: (addition: string, form: string, path: Path, instead?: unknown) => void,
): void {
  const { location, style, explode, whole } = position;
  const styles = 'style and explode of position';
  if (location === 'header' || location === 'cookie') {
    add('header and cookie in position.location', location, [...at, 'position', 'location'], 'query');
  }
  if (style) {
    const { style: _, explode: __, ...rest } = position;
    add(styles, location === 'body' ? 'of a form' : `${location} ${style}`, [...at, 'position'], rest);
  }
  if (explode !== undefined) add(styles, `explode: ${explode}`, [...at, 'position', 'explode']);
  if (whole) add('whole of position', 'whole', [...at, 'position', 'whole']);
  for (const form of shapesIn(String(z.primitive))) {
    const [outermost = ''] = form.split(' ');
    add('shapes in z.primitive', form, [...at, 'z', 'primitive'], plain[outermost] ?? 'object()');
  }
}

function shapesIn(primitive: string): string[] {
  const [shape = '', outermost = ''] = /^(\w+)\((?!\)$)/.exec(primitive) ?? /^(integer|file)\(/.exec(primitive) ?? [];
  if (shape === '' || outermost === 'enum') return [];
  const first = primitive.startsWith("union('") ? 'union by a member' : outermost;
  return /object\(.*object\(/.test(primitive) && outermost === 'object' ? [first, 'object in an object'] : [first];
}

/** The schema with another value at a path, or without it. */
function replaced(main: Main, path: Path, value: unknown): Main {
  const copy = structuredClone(main);
  let parent: unknown = copy;
  for (const key of path.slice(0, -1)) parent = (parent as Fields)[key];
  const last = String(path.at(-1));
  if (value === undefined) delete (parent as Fields)[last];
  else (parent as Fields)[last] = value;
  return copy;
}
