import type { Place } from '../rule-report.ts';
import { type RawPart, serverParamName, splitPlaceholders, type Template } from '../template.ts';

const maxPlaceholders = 1000;

/** Splits text at its placeholders. Braces without a name, or unclosed ones, are text, and are reported. */
export function parsePlaceholders(text: string, { path, report }: Place): RawPart[] {
  const parts = splitPlaceholders(text).map(
    (part): RawPart => (part.kind === 'placeholder' && part.name === '' ? { kind: 'text', text: part.source } : part),
  );
  const count = parts.filter(({ kind }) => kind === 'placeholder').length;
  if (count > maxPlaceholders) {
    const message = `the text has ${count} placeholders; the maximum is ${maxPlaceholders} (${path})`;
    report('VAL056', path, message, { severity: 'error' });
    return [{ kind: 'text', text }];
  }
  const stray = parts.find((part) => part.kind === 'text' && part.text.includes('{{'));
  if (stray?.kind === 'text') {
    const braces = stray.text.slice(stray.text.indexOf('{{'));
    const shown = JSON.stringify(braces.length > 40 ? `${braces.slice(0, 40)}…` : braces);
    const hint = 'Write {{NAME}}: a name between two braces on each side.';
    report('VAL056', path, `${shown} is not a placeholder; it is sent unchanged (${path})`, hint);
  }
  return parts;
}

/** The location of a placeholder for a server parameter. */
export interface SecretPlace extends Place {
  /** The names in `requiredServerParams`. */
  secrets: ReadonlySet<string>;
  /** The location in words, such as `header "X-Api-Key"`. */
  place: string;
  /** The enclosing part, appended to the message. */
  owner?: string;
  /** Placeholders that need no declaration here. */
  known?: readonly string[];
}

export function isServerParam(placeholder: string, secrets: ReadonlySet<string>): boolean {
  return serverParamName(placeholder) !== undefined || secrets.has(placeholder);
}

export function parseSecretTemplate(text: string, place: SecretPlace): Template {
  return parsePlaceholders(text, place).map((part) =>
    part.kind === 'text' ? part : { kind: 'secret', name: secretName(part.name, place) },
  );
}

/** The server parameter in `NAME` or `SERVER_PARAM:NAME`; reports an undeclared one. */
export function secretName(
  placeholder: string,
  { secrets, path, place, owner, known = [], report }: SecretPlace,
): string {
  const name = serverParamName(placeholder) ?? placeholder;
  if (!secrets.has(name)) {
    const part = owner === undefined ? '' : ` (${owner})`;
    const others = known.map((one) => `{{${one}}}`).join(', ');
    const end = others === '' ? '.' : `, or use one of ${others}.`;
    const hint = `Add ${JSON.stringify(name)} to main.requiredServerParams${end}`;
    report('VAL027', path, `serverParams not declared: ${place} uses {{${placeholder}}}${part}`, hint);
  }
  return name;
}
