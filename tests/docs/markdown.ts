import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const projectFolder: string = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of code: its language, the words after the language, and its text. */
export interface CodeBlock {
  /** Line of the opening fence, from 1. */
  line: number;
  language: string;
  words: readonly string[];
  text: string;
}

/** Reads a file of the project, by its path from the project's folder. */
export function readPage(page: string): string {
  return readFileSync(`${projectFolder}/${page}`, 'utf8');
}

/** The fenced blocks of a page that begin at the start of a line, in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (!line.startsWith('```')) open?.lines.push(line);
    else if (open === undefined) open = { line: index + 1, info: line.slice(3), lines: [] };
    else {
      const [language = '', ...words] = open.info.trim().split(/\s+/);
      blocks.push({ line: open.line, language, words, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** The anchors that headings of a page have on GitHub. */
export function anchors(markdown: string): string[] {
  return [...prose(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

/** Links of a page to other files and to headings, without those to the web. */
export function localLinks(markdown: string): string[] {
  const targets = [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The page without its code blocks. */
function prose(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '');
}
