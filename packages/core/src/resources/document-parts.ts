import { nearestWord } from '../schema/nearest-word.ts';

export type DocumentPart<Part> =
  | { ok: true; part: Part }
  | { ok: false; isUnknown: boolean; problem: string; hint: string };

export interface Passage {
  /** First and last line, such as `12-16`; counted from 1. */
  lines: string;
  content: string;
}

interface Heading {
  line: number;
  level: number;
  title: string;
}

const CONTEXT_LINES = 2;

/** A heading with its text, up to the next one of its level or higher. `Title (2)` is the second of a title. Skips fenced code. */
export function documentSection(text: string, heading: string): DocumentPart<string> {
  const lines = linesOf(text);
  const headings = headingsOf(lines);
  const title = titleOf(heading);
  const found = findHeading(headings, title) ?? findHeading(numbered(headings), title);
  if (found === undefined) {
    const titles = numbered(headings).map((heading) => heading.title);
    const suggestion = nearestWord(title, titles);
    const list = titles.slice(0, 50).join(', ');
    const hint =
      suggestion === undefined ? `Its sections: ${list === '' ? 'none' : list}.` : `Did you mean ${suggestion}?`;
    return { ok: false, isUnknown: true, problem: `there is no section ${JSON.stringify(title)}`, hint };
  }
  const end = headings.find(({ line, level }) => line > found.line && level <= found.level)?.line ?? lines.length;
  return { ok: true, part: lines.slice(found.line, end).join('\n').trimEnd() };
}

function findHeading(headings: readonly Heading[], title: string): Heading | undefined {
  return (
    headings.find((heading) => heading.title === title) ??
    headings.find((heading) => heading.title.toLowerCase() === title.toLowerCase())
  );
}

/** Adds a number to repeated titles: `Errors`, `Errors (2)`. */
function numbered(headings: readonly Heading[]): Heading[] {
  const counts = new Map<string, number>();
  return headings.map((heading) => {
    const count = (counts.get(heading.title) ?? 0) + 1;
    counts.set(heading.title, count);
    return count === 1 ? heading : { ...heading, title: `${heading.title} (${count})` };
  });
}

/** Lines `from-to`, counted from 1, both included; `7` is one line. `to` may be beyond the last line. */
export function documentLines(text: string, range: string): DocumentPart<string> {
  const hint = "Write 'from-to', such as '10-25', counted from 1.";
  const match = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(range);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (match === null || from < 1 || to < from) {
    return { ok: false, isUnknown: false, problem: `${JSON.stringify(range)} is not a range of lines`, hint };
  }
  const lines = linesOf(text);
  if (from > lines.length) {
    return { ok: false, isUnknown: true, problem: `there is no line ${from}: it has ${lines.length} lines`, hint };
  }
  return { ok: true, part: lines.slice(from - 1, to).join('\n') };
}

/** The lines that contain a text, in any letter case, with two lines around each. Joins passages that touch. */
export function searchDocument(text: string, search: string): Passage[] {
  const lines = linesOf(text);
  const needle = search.toLowerCase();
  const ranges: { from: number; to: number }[] = [];
  for (const [index, line] of lines.entries()) {
    if (!line.toLowerCase().includes(needle)) continue;
    const from = Math.max(0, index - CONTEXT_LINES);
    const to = Math.min(lines.length - 1, index + CONTEXT_LINES);
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map(({ from, to }) => ({
    lines: `${from + 1}-${to + 1}`,
    content: lines.slice(from, to + 1).join('\n'),
  }));
}

/** A line break at the end of the text does not start another line. */
function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

// https://spec.commonmark.org/0.31.2/#atx-headings and #fenced-code-blocks
const headingLine = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const fenceLine = /^ {0,3}(`{3,}|~{3,})/;

function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const [line, text] of lines.entries()) {
    const mark = fenceLine.exec(text)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence) && text.trim() === mark) fence = undefined;
    }
    const hashes = fence === undefined ? headingLine.exec(text)?.[1] : undefined;
    if (hashes !== undefined) headings.push({ line, level: hashes.length, title: titleOf(text) });
  }
  return headings;
}

/** A title without its opening `#`, its closing `#` and the space around it. */
function titleOf(text: string): string {
  const title = text
    .trim()
    .replace(/^#+(?=\s|$)/, '')
    .trim();
  const closing = /#+$/.exec(title);
  return closing !== null && /\s$/.test(title.slice(0, closing.index)) ? title.slice(0, closing.index).trim() : title;
}
