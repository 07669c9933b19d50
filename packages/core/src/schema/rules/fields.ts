import { childPath, type Report } from '../finding.ts';
import { ruleFinding } from '../finding-codes.ts';
import { suggestWord } from '../nearest-word.ts';

/** Reports fields that the format does not know, with the field that may have been meant. */
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

/** The text of a field; undefined where it is not text or is blank. */
export function textField(value: Record<string, unknown>, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** The texts in an array; undefined where the value is no array of text. */
export function textArray(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}
