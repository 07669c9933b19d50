import { hash } from 'node:crypto';
import type { AnyNode, Program, Token } from 'acorn';
import { parseBounded } from '../../module/parse-module.ts';
import { forEachPart } from '../../module/syntax-children.ts';

/** The code of handlers, parsed. */
export interface HandlerCode {
  source: string;
  program: Program;
  tokens: readonly Token[];
}

/** Parses the code of handlers, which was printed from a tree and can be parsed again. */
export function readCode(source: string): HandlerCode {
  const tokens: Token[] = [];
  const program = parseBounded(source, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: (token) => tokens.push(token),
  });
  return { source, program, tokens };
}

/**
 * The hash of code by its statements, their tokens, and which of these begin a line, since a line can end a statement. Comments,
 * indentation and the kind of line ending do not matter: a checkout may change the last of them, and an edit elsewhere in the
 * file the others.
 */
export function hashCode({ source, program, tokens }: HandlerCode): string {
  const texts: string[][] = [];
  let next = 0;
  for (const { type, start, end } of program.body) {
    const first = next;
    while ((tokens[next]?.start ?? end) < end) next += 1;
    // What was taken out of the file has left semicolons.
    if (type !== 'EmptyStatement') texts.push(textsOf(source, tokens.slice(first, next), start));
  }
  return `sha256:${hash('sha256', JSON.stringify(texts))}`;
}

function textsOf(source: string, tokens: readonly Token[], start: number): string[] {
  const texts: string[] = [];
  let last = start;
  for (const token of tokens) {
    if (/[\n\r\u2028\u2029]/.test(source.slice(last, token.start))) texts.push('\n');
    texts.push(source.slice(token.start, token.end).replace(/\r\n?/g, '\n'));
    last = token.end;
  }
  return texts;
}

/** The hosts of http(s) addresses that stand in code, with `*` for what is computed. Code can hide others. */
export function hostsIn({ program }: HandlerCode): string[] {
  const hosts = new Set<string>();
  const take = (text: string) => {
    for (const [, host = ''] of text.matchAll(/https?:\/\/([^\s/?#\\"'`<>]*)/gi)) {
      hosts.add(host === '' ? '*' : host.slice(host.lastIndexOf('@') + 1).toLowerCase());
    }
  };
  const visit = (node: AnyNode): void => {
    if (node.type === 'Literal' && typeof node.value === 'string') take(node.value);
    if (node.type === 'TemplateLiteral') take(node.quasis.map(({ value }) => value.cooked ?? value.raw).join('*'));
    forEachPart(node, visit);
  };
  visit(program);
  return [...hosts];
}
