import { MIN_SECRET_LENGTH, secretPattern } from './secret-pattern.ts';

/**
 * Makes a function that replaces secrets in text by `mask`. Each secret is found as it is, URL-encoded (`encodeURIComponent`, forms, and any mixture), as
 * base64 and base64url at any place inside a longer encoded text, as hexadecimal digits, and JSON-escaped, in capitals and small letters; also where such forms are put into one another.
 *
 * Secrets shorter than 6 characters are left alone. Masking every `1` or `key` would destroy answers, and what is missing from a text that the reader
 * knows would tell the secret; who uses such a secret must keep it out of texts in another way.
 *
 * @example
 * const scrub = createScrubber(['s3cr3t/key']);
 * scrub('GET /?key=s3cr3t%2Fkey'); // 'GET /?key=[REDACTED]'
 */
export function createScrubber(secrets: readonly string[], mask: string = '[REDACTED]'): (text: string) => string {
  // Ends are trimmed because they do not survive in headers. Longest first, so that a secret which begins with another is masked whole.
  const usable = [...new Set(secrets.map((secret) => secret.trim()))]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  if (usable.length === 0) return (text) => text;
  const patterns = usable.map((secret) => new RegExp(secretPattern(secret), 'g'));
  const any = new RegExp(usable.map(secretPattern).join('|'));
  return (text) => (any.test(text) ? maskAll(text, patterns, mask) : text);
}

/** Each secret is looked for by itself and the finds are then united: in one pass, a find would hide another that begins inside it. */
function maskAll(text: string, patterns: readonly RegExp[], mask: string): string {
  const finds = patterns
    .flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ start: index, end: index + length })),
    )
    .sort((a, b) => a.start - b.start);
  let masked = '';
  let end = 0;
  for (const find of finds) {
    if (find.start >= end) masked += text.slice(end, find.start) + mask;
    end = Math.max(end, find.end);
  }
  return masked + text.slice(end);
}
