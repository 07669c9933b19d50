import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import { type ConstantOf, printObject } from './print-value.ts';
import { wrapLines } from './wrap-lines.ts';

interface SchemaFile {
  main: JsonObject;
  /** Lines above `main`. */
  heading: string;
  /** Lines above a tool, by its name. */
  comments: ReadonlyMap<string, string>;
  /** The names of components, by their nodes in the output schemas. */
  componentOf: (node: object) => string | undefined;
  /** Code below `main`; may be empty. */
  handlers: string;
}

/** Writes a schema file as a person would: repeated parameters and parts of answers are constants. */
export function schemaFile({ main, heading, comments, componentOf, handlers }: SchemaFile): string {
  const { constants, constantOf } = createConstants(main, componentOf);
  const { tools, ...fields } = main;
  const body = Object.entries(fields).map(([key, value]) => `  ${property(key, value, 2, constantOf)},\n`);
  const written = Object.entries(tools as JsonObject).map(([name, tool]) => {
    const comment = comments.get(name);
    const note = comment === undefined ? '' : commentLines(comment, 4);
    return `${note}    ${property(name, tool, 4, constantOf)},\n`;
  });
  const top = constants.map((text) => `${text}\n\n`).join('');
  return `${commentLines(heading, 0)}\n${top}export const main = {\n${body.join('')}\n  tools: {\n${written.join('\n')}  },\n};\n${handlers === '' ? '' : `\n${handlers}`}`;
}

function property(key: string, value: unknown, indent: number, constantOf: ConstantOf): string {
  const wrapped = printObject({ [key]: value }, { indent: indent - 2, used: 1000, constantOf });
  return wrapped.slice(wrapped.indexOf('\n') + 1, wrapped.lastIndexOf(',\n')).trimStart();
}

function commentLines(text: string, indent: number): string {
  const space = ' '.repeat(indent);
  return wrapLines(text, 96 - indent)
    .map((line) => `${space}// ${line}`.trimEnd())
    .join('\n')
    .concat('\n');
}

/** Constants for what a file has more than once: equal parameters, and equal parts of answers that are a component of the document. */
function createConstants(
  main: JsonObject,
  componentOf: SchemaFile['componentOf'],
): { constants: string[]; constantOf: ConstantOf } {
  const uses = new Map<string, number>();
  const wishes = new WeakMap<object, { name: string; json: string }>();
  const tools = Object.values(main.tools as JsonObject).filter(isObject);
  for (const tool of tools) {
    for (const parameter of tool.parameters as JsonObject[]) {
      wish(parameter, String((parameter.position as JsonObject).key));
    }
    visit((tool.output as JsonObject).schema);
  }

  /** @returns whether it is the first of its kind */
  function wish(value: object, name: string): boolean {
    const json = JSON.stringify(value);
    wishes.set(value, { name, json });
    uses.set(json, (uses.get(json) ?? 0) + 1);
    return uses.get(json) === 1;
  }

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const name = componentOf(node);
    // What a constant contains is written once.
    if (name !== undefined && JSON.stringify(node).length > 80 && !wish(node, name)) return;
    for (const child of Object.values(node)) visit(child);
  }

  const constants: string[] = [];
  const names = new Map<string, string>();
  const taken = new Set(['main', 'handlers', 'graphql']);

  function constantOf(value: object): string | undefined {
    const wished = wishes.get(value);
    if (wished === undefined || (uses.get(wished.json) ?? 0) < 2) return undefined;
    const known = names.get(wished.json);
    if (known !== undefined) return known;
    const name = freeName(wished.name);
    names.set(wished.json, name);
    const used = `const ${name} = `.length;
    constants.push(`const ${name} = ${printObject(value, { indent: 0, used, constantOf })};`);
    return name;
  }

  function freeName(wanted: string): string {
    const words = wanted.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
    const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    const lower = joined.charAt(0).toLowerCase() + joined.slice(1);
    const base = /^[a-z]/.test(lower) && !reserved.test(lower) ? lower : `its${joined}`;
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
    taken.add(name);
    return name;
  }

  return { constants, constantOf };
}

const reserved =
  /^(arguments|async|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield)$/;
