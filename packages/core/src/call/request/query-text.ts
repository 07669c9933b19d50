/** Encodes as HTML forms and `URLSearchParams` do (WHATWG URL, application/x-www-form-urlencoded). */
export function encodeQueryText(text: string): string {
  if (/^[\w.* -]*$/.test(text)) return text.includes(' ') ? text.replaceAll(' ', '+') : text;
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
