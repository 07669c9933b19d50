import { childPath, type Report } from '../finding.ts';
import { ruleFinding } from '../finding-codes.ts';
import { suggestWord } from '../nearest-word.ts';

/** Reports unknown fields, with the field that was probably meant. */
export function reportUnknownFields(
  value: Record<string, unknown>,
  known: readonly string[],
  { path, report }: { path: string; report: Report },
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const hint = suggestWord(key, known) ?? `Known fields: ${known.join(', ')}.`;
    report(ruleFinding('VAL003', childPath(path, key), `unknown field ${JSON.stringify(key)} in ${path}`, hint));
  }
}

/** The text of a field; undefined if it is blank or not text. */
export function textField(value: Record<string, unknown>, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** An array of text; undefined for anything else. */
export function textArray(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}
