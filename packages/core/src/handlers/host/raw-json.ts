let isUsed = false;

/**
 * Takes notice of `JSON.rawJSON`, with which code has `JSON.stringify` write a text of its own, such as `1.0` or `"\u0041"`.
 * It runs before any other code could keep the function. Not in all versions of Node.js.
 */
export function watchRawJson(): void {
  const rawJson: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof rawJson !== 'function') return;
  const watched = (text: unknown): unknown => {
    isUsed = true;
    return Reflect.apply(rawJson, JSON, [text]);
  };
  Object.defineProperty(JSON, 'rawJSON', { value: watched });
}

/** Tells whether there may be any of it in this host. */
export function isRawJsonUsed(): boolean {
  return isUsed;
}
