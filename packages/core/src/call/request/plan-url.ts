import type { Finding } from '../../schema/finding.ts';
import type { Placement, Tool } from '../../schema/schema.ts';
import type { Template } from '../../schema/template.ts';
import { callFinding } from '../call-findings.ts';
import { signatureKeys } from '../sign-request.ts';
import { encodeQueryText } from './query-text.ts';
import { evaluate, type InputValues, placedValues, type SecretValues, toText } from './template-value.ts';
import { encodeSegment, otherKeys, styledPairs, styledPath, styleFinding, styleProblem } from './value-style.ts';

export function planUrl(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
): { ok: true; text: string } | { ok: false; findings: Finding[] } {
  const { query, findings } = planQuery(tool, values, secrets);
  if (findings.length > 0) return { ok: false, findings };
  const fixed = fixedText(tool.url);
  if (fixed !== undefined) return { ok: true, text: withQuery(fixed, query) };
  const pieces: PathPiece[] = [];
  let isQuery = false;
  for (const [index, part] of tool.url.entries()) {
    if (part.kind === 'text') {
      pieces.push({ text: part.text });
      isQuery ||= part.text.includes('?');
      continue;
    }
    if (part.kind === 'secret') {
      pieces.push({ text: encodeURIComponent(secrets[part.name] ?? '') });
      continue;
    }
    const inserted = part.kind === 'insert' ? insertPlacement(tool, part.key) : undefined;
    const [value, from] =
      part.kind === 'input'
        ? [values[part.name], part.name]
        : [evaluate(inserted?.value ?? [], values, secrets), part.key];
    if (value === undefined || value === null) {
      // A missing optional value removes its segment: `/a/{{x}}/b` becomes `/a/b`.
      const before = pieces.at(-1);
      if (before?.text.endsWith('/') && !isQuery && endsSegment(tool.url[index + 1])) {
        before.text = before.text.slice(0, -1);
      }
    } else if (isQuery) {
      pieces.push({ text: encodeQueryText(toText(value)) });
    } else if (inserted?.style !== undefined) {
      const problem = styleProblem(inserted.key, value, inserted.style);
      if (problem !== undefined) findings.push(styleFinding(inserted, problem));
      pieces.push({ text: styledPath(inserted.key, value, inserted.style), from, isEncoded: true });
    } else pieces.push({ text: toText(value), from });
  }
  if (findings.length > 0) return { ok: false, findings };
  const problem = findPathProblem(cutAtQuery(pieces));
  if (problem) {
    const message = `${problem.from}: a value for the path may not have ${problem.problem}.`;
    const hint = 'Give the identifier alone, without "." or ".." segments, double slashes or backslashes.';
    return { ok: false, findings: [callFinding('INP010', message, { path: problem.from, hint })] };
  }
  const base = pieces
    .map(({ text, from, isEncoded = false }) => (from === undefined || isEncoded ? text : encodePathValue(text)))
    .join('');
  return { ok: true, text: withQuery(base, query) };
}

/** The text of a template without placeholders. */
function fixedText(template: Template): string | undefined {
  let text = '';
  for (const part of template) {
    if (part.kind !== 'text') return undefined;
    text += part.text;
  }
  return text;
}

function insertPlacement(tool: Tool, name: string): Placement | undefined {
  return tool.placements.findLast(({ key, location }) => location === 'insert' && key === name);
}

function endsSegment(next: Template[number] | undefined): boolean {
  return next === undefined || (next.kind === 'text' && /^[/?]/.test(next.text));
}

/** The pieces of the path, without a query that the author wrote after a question mark. */
function cutAtQuery(pieces: readonly PathPiece[]): readonly PathPiece[] {
  const index = pieces.findIndex(({ text, from }) => from === undefined && text.includes('?'));
  const cut = pieces[index];
  return cut === undefined ? pieces : [...pieces.slice(0, index), { text: cut.text.slice(0, cut.text.indexOf('?')) }];
}

/** Encodes a value for a path. Slashes stay, since real identifiers have them (`10.1038/nature12373`). */
function encodePathValue(value: string): string {
  return encodeSegment(value).replaceAll('%2F', '/');
}

/** Decodes percent-encodings that could hide a dot, a slash, a backslash or another percent sign, repeatedly. */
function unhide(value: string): string {
  let before = value;
  for (;;) {
    const after = before.replace(/%(?:2e|2f|5c|25)/gi, decodeURIComponent);
    if (after === before) return after;
    before = after;
  }
}

/** A part of a path: written by the author of the schema, or given by the caller. */
interface PathPiece {
  text: string;
  /** The input that it comes from; undefined for the author's text. */
  from?: string;
  isEncoded?: boolean;
}

/**
 * Finds a caller's value that would change the path: one that makes a segment `.`, `..` or empty in any encoding, or contains
 * a backslash, which some servers treat as a slash.
 */
function findPathProblem(pieces: readonly PathPiece[]): { from: string; problem: string } | undefined {
  if (!pieces.some(({ from }) => from !== undefined)) return undefined;
  const plain = pieces.map((piece) => (piece.from === undefined ? piece.text : unhide(piece.text)));
  const whole = plain.join('');
  let start = 0;
  for (const [index, piece] of pieces.entries()) {
    const length = plain[index]?.length ?? 0;
    const end = start + length;
    if (piece.from !== undefined) {
      if (plain[index]?.includes('\\')) return { from: piece.from, problem: 'a backslash' };
      // The value with the author's text around it, up to the next slashes.
      const left = whole.lastIndexOf('/', start - 1) + 1;
      const next = whole.indexOf('/', end);
      const segments = whole.slice(left, next === -1 ? undefined : next).split('/');
      if (segments.includes('')) return { from: piece.from, problem: 'an empty segment' };
      const dots = segments.find((segment) => segment === '.' || segment === '..');
      if (dots !== undefined) return { from: piece.from, problem: `the segment "${dots}"` };
    }
    start = end;
  }
  return undefined;
}

function planQuery(tool: Tool, values: InputValues, secrets: SecretValues): { query: string; findings: Finding[] } {
  const pairs: string[] = [];
  const findings: Finding[] = [];
  for (const [placement, value] of placedValues(tool, values, secrets, 'query')) {
    if (value === null) continue;
    const { key, style } = placement;
    if (style === undefined) {
      pairs.push(`${encodeQueryText(key)}=${encodeQueryText(toText(value))}`);
      continue;
    }
    const taken = [...otherKeys(tool.placements, placement), ...fixedKeys(tool)];
    const problem = styleProblem(key, value, style, { taken });
    if (problem !== undefined) findings.push(styleFinding(placement, problem));
    pairs.push(...styledPairs(key, value, style, encodeQueryText));
  }
  return { query: pairs.join('&'), findings };
}

/** The names in a query that the author wrote in the path, and those of the signature. */
function fixedKeys({ url, signature }: Tool): string[] {
  const text = url.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const written = new URLSearchParams(text.includes('?') ? text.slice(text.indexOf('?')) : '');
  return [...written.keys(), ...(signature ? signatureKeys(signature) : [])];
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  if (!url.includes('?')) return `${url}?${query}`;
  return /[?&]$/.test(url) ? `${url}${query}` : `${url}&${query}`;
}
