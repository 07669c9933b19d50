import { field, isPlainObject, type PlainObject } from '../../findings/plain-object.ts';
import { codePoints, exactText, lookOf, plainText } from '../../findings/plain-text.ts';

/** Texts that give orders to a model, in place of saying what a tool does. Bounded, so that each takes linear time. */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|all|system|safety)\b.{0,30}\b(?:instructions?|prompts?|rules?|directions?|guidelines?)\b/i,
  /<\s*\/?\s*(?:important|system|instructions?|secret|hidden|admin|critical)\s*>/i,
  /<\|[a-z_]{1,20}\|>|\[\/?INST\]|<<\/?SYS>>/i,
  /\b(?:do not|don['’]t|never|without)\b.{0,15}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting)\b.{0,30}\buser\b/i,
  /\b(?:hide|conceal|keep)\b.{0,30}\b(?:from|secret from) the user\b/i,
  /\b(?:before|after|instead of)(?: (?:using|calling|invoking|executing))? (?:any|all|every)\b.{0,15}\btools?\b/i,
  /\b(?:read|open|send|include|pass|attach|upload|append|forward)\b.{0,60}(?:\.ssh\b|\bid_rsa\b|\.env\b|\.aws\b|\/etc\/passwd|\bmcp\.json\b|\bprivate keys?\b)/i,
  /\b(?:send|include|pass|repeat|reveal|append|forward|copy)\b.{0,40}\b(?:system prompt|conversation history|chat history|(?:entire|whole|full) conversation)\b/i,
  /\b(?:forget|ignore|disregard)\b.{0,20}\b(?:everything|anything|all)\b.{0,30}\b(?:before|above|told|earlier)\b/i,
  /\bbefore (?:answering|responding|replying)\b.{0,30}\b(?:call|use|run|invoke)\b/i,
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

/** A text that tries to control a model. */
export interface Poison {
  /** Orders, or characters that people do not see. */
  code: 'TOOL-020' | 'TOOL-021';
  /** Marked as »…« in its surroundings, invisible characters as code points. */
  passage: string;
  text: string;
}

/** The first order and the first invisible characters in texts, of which each is read up to 50,000 characters. */
export function poisonIn(texts: readonly string[]): Poison[] {
  const kinds = [
    ['TOOL-020', orderIn],
    ['TOOL-021', hiddenIn],
  ] as const;
  return kinds.flatMap(([code, find]) => {
    for (const text of texts) {
      const passage = find(text.slice(0, MAX_TEXT));
      if (passage !== undefined) return [{ code, passage, text }];
    }
    return [];
  });
}

function orderIn(text: string): string | undefined {
  const line = text.replaceAll(/\s+/g, ' ');
  const match = ORDERS.map((pattern) => pattern.exec(line)).find((found) => found !== null);
  return match && marked(match);
}

function hiddenIn(text: string): string | undefined {
  const bare = HIDDEN.test(text) ? text.replaceAll(IN_EMOJI, '') : text;
  const match = HIDDEN.exec(NEEDS_JOINERS.test(bare) ? bare.replaceAll(JOINERS, '') : bare);
  return match === null ? undefined : marked(match);
}

function marked({ 0: found, index, input }: RegExpExecArray): string {
  const end = index + found.length;
  // Control characters become code points too, which plain text does not show.
  const passage = exactText(found.replaceAll(/\p{Cc}/gu, codePoints), 200);
  return `${plainText(input.slice(Math.max(0, index - AROUND), index), AROUND)}»${passage}«${plainText(input.slice(end, end + AROUND), AROUND)}`;
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

/** From the public tool references of Anthropic (its API and Claude Code) and of OpenAI. Names that any server may need, such as `memory`, are left out. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  `bash computer str_replace_editor str_replace_based_edit_tool code_execution
  ExitPlanMode NotebookEdit TodoWrite WebFetch WebSearch apply_patch code_interpreter`
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
