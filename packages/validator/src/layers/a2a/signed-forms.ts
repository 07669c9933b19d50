import canonicalize from 'canonicalize';
import type { PlainObject } from '../../findings/plain-object.ts';

/**
 * What signers of a card may have signed, in base64url: the card as it was sent; without fields that have their default value, except
 * required ones (A2A 8.4.1); without those as well, as the SDKs do it; and without security schemes, which the SDK for JavaScript loses.
 */
export function signedForms(content: PlainObject): string[] {
  try {
    const { securitySchemes: _, ...rest } = content;
    const short = [content, rest].map((part) => withoutDefaults(part, new Set()) ?? {});
    const forms = [content, withoutDefaults(content, REQUIRED) ?? {}, ...short];
    const texts = new Set(forms.map((form) => canonicalize(form) ?? ''));
    return [...texts].map((text) => Buffer.from(text).toString('base64url'));
  } catch {
    // Text that is not Unicode, or too deep.
    return [];
  }
}

const REQUIRED: ReadonlySet<string> = new Set(
  'name description version supportedInterfaces url protocolBinding protocolVersion capabilities defaultInputModes defaultOutputModes skills id tags'.split(
    ' ',
  ),
);

function withoutDefaults(value: unknown, required: ReadonlySet<string>): unknown {
  if (value === '' || value === null) return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutDefaults(item, required)).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const isOff = OFF.has(name) && part === false;
    const kept = isOff
      ? undefined
      : (withoutDefaults(part, required) ?? (required.has(name) ? emptied(part) : undefined));
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** A required field whose content has gone. */
function emptied(part: unknown): unknown {
  return Array.isArray(part) ? [] : typeof part === 'object' && part !== null ? {} : (part ?? undefined);
}

/** Booleans whose default is false; with others, false is a statement. */
const OFF: ReadonlySet<string> = new Set(['required', 'pkceRequired']);
