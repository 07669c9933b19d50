import { RE2JS } from 're2js';

export interface Pattern {
  /** Instructions of the compiled pattern: a match takes at worst as many steps for each character of the value. */
  size: number;
  /** Like `RegExp.prototype.test`. False if the match could take more than about half a second (`MAX_STEPS`). */
  matches(value: string): boolean;
}

/** Longest text of a pattern, in characters. */
const MAX_TEXT = 2_000;
/** Largest compiled pattern, in instructions: `.{1,1000}` has 2,003. */
const MAX_PROGRAM = 10_000;
/** Matching takes at worst one step per instruction and character, of about 20 ns each. */
const MAX_STEPS = 20_000_000;
/** Size of the cache. One pattern can use up to 9 MB after hostile values, usually a few KB. */
const MAX_CACHED = 100;

const cache = new Map<string, RE2JS | { problem: string }>();

/**
 * The only place where patterns from schemas run. The engine (RE2) takes linear time, so that no pattern can block the
 * process. Unsupported syntax (look-around, back-references) is returned as a problem that completes "the pattern …".
 */
export function compilePattern(text: string): Pattern | { problem: string } {
  const compiled = compile(text);
  if ('problem' in compiled) return compiled;
  return { size: compiled.programSize(), matches: (value) => run(compile(text), value) };
}

/** Whether the pattern is valid in JSON Schema: ECMAScript's dialect in Unicode mode. The pattern is not run. */
export function isEcmaScriptPattern(text: string): boolean {
  if (text.length > MAX_TEXT || /\(\?[ims-]/.test(text)) return false;
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false; // A syntax error is the answer.
  }
}

function run(compiled: RE2JS | { problem: string }, value: string): boolean {
  if ('problem' in compiled) return false;
  return compiled.programSize() * value.length <= MAX_STEPS && compiled.test(value);
}

/** Looked up at each match, so that closures do not keep evicted patterns alive. */
function compile(text: string): RE2JS | { problem: string } {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const compiled = compileUncached(text);
  const oldest = cache.size < MAX_CACHED ? undefined : cache.keys().next().value;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(text, compiled);
  return compiled;
}

function compileUncached(text: string): RE2JS | { problem: string } {
  if (text.length > MAX_TEXT) return { problem: `is longer than ${MAX_TEXT} characters` };
  if (hasBackReference(text)) return { problem: 'has a back-reference, which cannot be matched in linear time' };
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(text));
    return compiled.programSize() <= MAX_PROGRAM
      ? compiled
      : { problem: 'is too large when its repetitions are expanded' };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : String(cause);
    if (/`\(\?<?[=!]/.test(reason)) return { problem: 'has a look-around, which cannot be matched in linear time' };
    return { problem: `cannot be read: ${reason.length > 150 ? `${reason.slice(0, 150)}…` : reason}` };
  }
}

/** The engine would silently treat `\k<name>` as the letter `k`. */
function hasBackReference(text: string): boolean {
  return /\\[1-9]|\\k</.test(text.replace(/\\\\/g, ''));
}
