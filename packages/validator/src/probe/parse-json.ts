/** Parsed JSON; undefined for what is none. */
export function parseJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same in base64 or base64url, as headers have it. */
export function parseBase64Json(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(Buffer.from(text, 'base64').toString('utf8'));
}
