/** A part of a value from which a request is planned. */
export type TemplatePart =
  /** `json`: the text is a JSON literal, sent as a JSON value in a body. */
  | { kind: 'text'; text: string; json?: boolean }
  /** A value from the caller, by the name of the input. */
  | { kind: 'input'; name: string }
  | { kind: 'secret'; name: string }
  /** The value of the `insert` parameter with this key. Only in paths. */
  | { kind: 'insert'; key: string };

export type Template = readonly TemplatePart[];

export type RawPart = { kind: 'text'; text: string } | { kind: 'placeholder'; name: string; source: string };

/** Cuts text at its `{{…}}` placeholders. Braces that never close are text. */
export function splitPlaceholders(text: string): RawPart[] {
  const parts: RawPart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push({ kind: 'placeholder', name: (match[1] ?? '').trim(), source: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

/** The text of a template; `write` gives what its placeholders stand for. */
export function templateText(template: Template, write: (name: string) => string): string {
  return template.map((part) => (part.kind === 'text' ? part.text : 'name' in part ? write(part.name) : '')).join('');
}

const serverParamPrefix = 'SERVER_PARAM:';

/** The secret's name in `SERVER_PARAM:<NAME>`; undefined for any other placeholder. */
export function serverParamName(placeholder: string): string | undefined {
  return placeholder.startsWith(serverParamPrefix) ? placeholder.slice(serverParamPrefix.length).trim() : undefined;
}
