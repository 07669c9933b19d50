import { field, isPlainObject, type PlainObject } from '../../findings/plain-object.ts';
import { exactText, lookOf, plainText } from '../../findings/plain-text.ts';

/** Texts that give orders to a model, in place of saying what a tool does. Bounded, so that each takes linear time. */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|all|system|safety)\b.{0,30}\b(?:instructions?|prompts?|rules?|directions?|guidelines?)\b/i,
  /<\s*\/?\s*(?:important|system|instructions?|secret|hidden|admin|critical)\s*>/i,
  /<\|[a-z_]{1,20}\|>|\[\/?INST\]|<<\/?SYS>>/i,
  /\b(?:do not|don['’]t|never|without)\b.{0,15}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting)\b.{0,30}\buser\b/i,
  /\b(?:hide|conceal|keep)\b.{0,30}\b(?:from|secret from) the user\b/i,
  /\b(?:before|after|instead of) (?:using|calling|invoking|executing) (?:any|all|every)\b.{0,15}\btools?\b/i,
  /\b(?:read|open|send|include|pass|attach|upload|append|forward)\b.{0,60}(?:\.ssh\b|\bid_rsa\b|\.env\b|\/etc\/passwd|\bmcp\.json\b|\bprivate keys?\b)/i,
  /\b(?:send|include|pass|repeat|reveal|append|forward|copy)\b.{0,40}\b(?:system prompt|conversation history|chat history|(?:entire|whole|full) conversation)\b/i,
];

const HIDDEN = /[[\p{Cf}\p{DI}\u2800\p{Cc}]--[\t\n\r\ufe0e\ufe0f]]+/v;
/** What joins emoji, and the regions of flags. */
const IN_EMOJI =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d|(?<=\u{1f3f4})[\u{e0020}-\u{e007f}]{1,6}/gu;
/** Joiners and marks belong to the writing of some languages. */
const JOINERS = /[\u200c-\u200f]/gu;
const NEEDS_JOINERS =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;

const MAX_TEXT = 50_000;
const AROUND = 60;

export interface Suspicion {
  /** A passage that orders a model, marked as »…«. */
  order: string | undefined;
  /** Invisible characters, as code points and marked. */
  hidden: string | undefined;
}

/** Signs that a text tries to control a model. Reads at most 50,000 characters. */
export function suspicionIn(given: string): Suspicion {
  const text = given.slice(0, MAX_TEXT);
  const line = text.replaceAll(/\s+/g, ' ');
  const order = ORDERS.map((pattern) => pattern.exec(line)).find((match) => match !== null);
  const bare = HIDDEN.test(text) ? text.replaceAll(IN_EMOJI, '') : text;
  const visible = NEEDS_JOINERS.test(bare) ? bare.replaceAll(JOINERS, '') : bare;
  const hidden = HIDDEN.exec(visible);
  return {
    order: order && marked(line, order.index, order[0].length),
    hidden: hidden ? marked(visible, hidden.index, hidden[0].length) : undefined,
  };
}

function marked(text: string, at: number, length: number): string {
  const [before, after] = [text.slice(Math.max(0, at - AROUND), at), text.slice(at + length, at + length + AROUND)];
  // Control characters become code points too, which plain text does not show.
  const passage = exactText(text.slice(at, at + length).replaceAll(/\p{Cc}/gu, escaped), 200);
  return `${plainText(before, AROUND)}»${passage}«${plainText(after, AROUND)}`;
}

function escaped(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}

const MAX_TEXTS = 500;

/** The texts of a tool that a model may read. */
export function modelTexts(tool: PlainObject): string[] {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (texts.length >= MAX_TEXTS) return;
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (isPlainObject(value)) Object.values(value).forEach(walk);
  };
  const names = ['name', 'title', 'description', 'annotations', 'inputSchema', 'outputSchema'];
  for (const name of names) walk(field(tool, name));
  return texts;
}

/** Letters of other scripts, and digits, that look like the Latin letter at the same place. */
const OTHERS = 'аеорсухіјѕһкмтԁοανιργıɡ01';
const LATIN = 'aeopcyxijshkmtdoavipyigol';
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [...OTHERS].map((letter, index) => [letter, LATIN.charAt(index)]),
);

/** Tools that clients have themselves, or that models were trained on. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  `bash computer str_replace_editor str_replace_based_edit_tool apply_patch run_terminal_cmd code_interpreter code_execution
  multi_tool_use multi_tool_use.parallel TodoWrite ExitPlanMode AskUserQuestion WebFetch WebSearch NotebookEdit BashOutput
  KillShell container.exec exec_command update_plan view_image`
    .split(/\s+/)
    .map(foldedName),
);

/** A key that is equal for names that a reader takes for the same. */
function foldedName(name: string): string {
  const letters = lookOf(name.slice(0, 200))
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, '');
  return Array.from(letters, (letter) => LOOKALIKES.get(letter) ?? letter).join('');
}

/** Names that are taken for a tool of the client, or for another tool of the server; with what they shadow. */
export function shadowingNames(names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const first = new Map<string, string>();
  for (const name of names) {
    const key = foldedName(name);
    const other = first.get(key) ?? name;
    first.set(key, other);
    if (WELL_KNOWN.has(key)) found.set(name, 'a tool that clients have');
    else if (other !== name) found.set(name, `\`${exactText(other, 80)}\``);
  }
  return found;
}
