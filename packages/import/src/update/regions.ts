import { type AnyNode, type Comment, type ObjectExpression, type Program, parse, type Token } from 'acorn';

/** A part of a schema file that is merged by itself. All regions together are the text. */
export interface Region {
  /** `heading`, `const limit`, `statement handlers`, `main.root`, `tool listPets`, its field `tool.path`, or what is between them, such as `tools {`. */
  key: string;
  /** Without the blank lines above it. */
  text: string;
  /** The blank lines above it. */
  gap: string;
  /** Line of the text in the file, from 1. */
  line: number;
  /** The same for texts that differ only in formatting. */
  code: string;
  /** Names that its code uses, with their places in the text. */
  names: readonly UsedName[];
}

interface UsedName {
  name: string;
  /** Index in the text of the region. */
  at: number;
  /** `{ limit }` is short for `{ limit: limit }`. */
  isShorthand: boolean;
}

export type Regions =
  | { ok: true; regions: Region[] }
  | { ok: false; message: string; line: number | undefined; column: number | undefined };

interface Cut {
  key: string;
  /** Where its code ends. The rest of the line belongs to it, too. */
  end: number;
  /** A property without a comma gets one, so that others can follow. */
  needsComma?: boolean;
}

/** Divides a schema file into its statements, the fields of `main`, and the tools. Line breaks are `\n`. */
export function splitRegions(text: string): Regions {
  return parsed(text, (program, code) => {
    const cuts = [...program.body.flatMap((statement) => cutsOf(statement, text)), { key: 'end', end: text.length }];
    return cutText(text, withHeading(cuts, text, program), code);
  });
}

/** Divides a tool into its fields; undefined if it is not written as an object. */
export function splitTool({ text, line }: Pick<Region, 'text' | 'line'>): Region[] | undefined {
  const before = '({';
  const split = parsed(`${before}${text}})`, ({ body: [statement] }, code) => {
    const object = statement?.type === 'ExpressionStatement' ? statement.expression : undefined;
    const property = object?.type === 'ObjectExpression' ? object.properties[0] : undefined;
    const value = property?.type === 'Property' ? property.value : undefined;
    if (value?.type !== 'ObjectExpression') return [];
    const whole = `${before}${text}`;
    const cuts = [...objectCuts(value, { key: 'tool', text: whole }), { key: '} tool', end: whole.length }];
    return cutText(whole, cuts, code, before.length);
  });
  if (!split.ok || split.regions.length === 0) return undefined;
  return split.regions.map((region) => ({ ...region, line: region.line + line - 1 }));
}

function parsed(text: string, split: (program: Program, code: Code) => Region[]): Regions {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  try {
    const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens, onComment: comments });
    return { ok: true, regions: split(program, { tokens, comments, names: usedNames(program) }) };
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } };
    return { ok: false, message, line: loc?.line, column: loc && loc.column + 1 };
  }
}

/** Comments at the beginning, with a blank line below, are about the file. */
function withHeading(cuts: readonly Cut[], text: string, { body: [first] }: Program): Cut[] {
  const end = text.slice(0, first?.start ?? 0).lastIndexOf('\n\n');
  return end < 1 ? [...cuts] : [{ key: 'heading', end }, ...cuts];
}

function cutsOf(statement: Program['body'][number], text: string): Cut[] {
  const { end } = statement;
  const isExported = statement.type === 'ExportNamedDeclaration';
  const declared = isExported ? statement.declaration : statement;
  if (declared?.type === 'FunctionDeclaration' || declared?.type === 'ClassDeclaration') {
    return [{ key: `statement ${declared.id?.name}`, end }];
  }
  if (declared?.type !== 'VariableDeclaration') {
    return [{ key: `statement ${statement.type} ${text.slice(statement.start, statement.start + 40)}`, end }];
  }
  const [first, ...others] = declared.declarations;
  const names = declared.declarations.map(({ id }) => text.slice(id.start, id.end)).join(', ');
  if (isExported && names === 'main' && first?.init?.type === 'ObjectExpression') {
    return [...objectCuts(first.init, { key: 'main', text }), { key: '} main', end }];
  }
  const isConstant = !isExported && declared.kind === 'const' && others.length === 0;
  return [{ key: `${isConstant ? 'const' : 'statement'} ${names}`, end }];
}

/** The brace, then each property; `tools` again by its properties. */
function objectCuts(object: ObjectExpression, { key, text }: { key: string; text: string }): Cut[] {
  const word = key === 'tools' ? 'tool ' : `${key}.`;
  const cuts = object.properties.flatMap((property): Cut[] => {
    const comma = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(property.end))?.[0];
    const end = property.end + (comma?.length ?? 0);
    const rest = { end, needsComma: comma === undefined };
    if (property.type !== 'Property') return [{ key: `${word}...${text.slice(property.start, end)}`, ...rest }];
    const own = property.key.type === 'Literal' ? String(property.key.value) : text.slice(...range(property.key));
    if (key === 'main' && own === 'tools' && property.value.type === 'ObjectExpression') {
      return [...objectCuts(property.value, { key: 'tools', text }), { key: '} tools', ...rest }];
    }
    return [{ key: word + own, ...rest }];
  });
  return [{ key: `${key} {`, end: object.start + 1 }, ...cuts];
}

interface Code {
  tokens: readonly Token[];
  comments: readonly Comment[];
  names: readonly UsedName[];
}

function cutText(text: string, cuts: readonly Cut[], code: Code, from = 0): Region[] {
  const taken = new Map<string, number>();
  let start = from;
  let line = 1;
  return cuts.map(({ key, end: codeEnd, needsComma = false }) => {
    const rest = /^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t]*)?(?:\n|$)/.exec(text.slice(codeEnd))?.[0] ?? '';
    const end = codeEnd + rest.length;
    const gap = /^(?:[ \t]*\n)*/.exec(text.slice(start, end))?.[0] ?? '';
    const first = start + gap.length;
    const plain = text.slice(first, end);
    const comma = codeEnd - first;
    const count = (taken.get(key) ?? 0) + 1;
    taken.set(key, count);
    line += linesIn(gap);
    const region = {
      key: count === 1 ? key : `${key} (${count})`,
      text: needsComma ? `${plain.slice(0, comma)},${plain.slice(comma)}` : plain,
      gap,
      line,
      code: codeIn(text, [start, end], code),
      names: code.names.filter(({ at }) => at >= first && at < end).map((used) => ({ ...used, at: used.at - first })),
    };
    line += linesIn(plain);
    start = end;
    return region;
  });
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** Tokens and comments, one a line, keys with a dot. Quotes, trailing commas and space do not matter. */
function codeIn(text: string, [start, end]: [number, number], { tokens, comments }: Code): string {
  const own = tokens.filter((token) => token.start >= start && token.start < end);
  const words = own.flatMap((token, index) => {
    const [before, after] = [own[index - 1]?.type.label, own[index + 1]?.type.label];
    const { label } = token.type;
    if (label === ',' && (after === undefined || after === '}' || after === ']' || after === ')')) return [];
    const isKey = after === ':' && (before === undefined || before === '{' || before === ',');
    if (isKey && (label === 'string' || label === 'name')) return [`.${tokenValue(token)}`];
    return [label === 'string' ? JSON.stringify(tokenValue(token)) : text.slice(token.start, token.end)];
  });
  const notes = comments.filter((comment) => comment.start >= start && comment.start < end);
  return [...words, ...notes.map(({ value }) => `//${value.trim()}`)].join('\n');
}

/** The types of acorn do not have it. */
function tokenValue(token: Token & { value?: unknown }): unknown {
  return token.value;
}

/** Every name that is not a key. Names of inner scopes are among them: they only keep a constant that is not needed. */
function usedNames(program: Program): UsedName[] {
  const found: UsedName[] = [];
  const visit = (node: AnyNode, isShorthand = false): void => {
    if (node.type === 'Identifier') found.push({ name: node.name, at: node.start, isShorthand });
    for (const [field, child] of Object.entries(node)) {
      const isKey = (field === 'key' || field === 'property') && 'computed' in node && !node.computed;
      if (isKey) continue;
      const isShort = 'shorthand' in node && node.shorthand;
      for (const part of Array.isArray(child) ? child : [child]) if (isNode(part)) visit(part, isShort);
    }
  };
  visit(program);
  return found;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function range({ start, end }: { start: number; end: number }): [number, number] {
  return [start, end];
}
