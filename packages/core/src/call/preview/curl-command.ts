import type { OutgoingRequest } from '../outgoing-request.ts';
import type { SecretVault } from '../secret-vault.ts';

/**
 * A request as a command for a POSIX shell. Secrets are variables of the environment, named as the server parameters are; one
 * whose name no variable can have stays a placeholder.
 */
export function curlCommand(
  { url, method, headers, body }: OutgoingRequest,
  vault: Pick<SecretVault, 'replaceTokens' | 'scrub'>,
): string {
  const word = (text: string) => shellWord(text, vault);
  const words = [
    ...methodFlags(method),
    // curl reads brackets and braces as patterns of several addresses.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...Object.entries(headers).flatMap(([name, value]) => headerFlags(name, value, word)),
    ...(body === undefined ? [] : [`--data-raw ${word(body)}`]),
    word(url),
  ];
  return `curl ${words.join(' \\\n  ')}`;
}

/** `--request HEAD` would wait for a body. */
function methodFlags(method: string): string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : [`--request ${quoted(method)}`];
}

/** A name that begins with `@` would make curl read a file; the HTTP client sends no such header either. */
function headerFlags(name: string, value: string, word: (text: string) => string): string[] {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [];
  // `name:` would remove the header.
  return [`--header ${value === '' ? quoted(`${name};`) : word(`${name}: ${value}`)}`];
}

function shellWord(text: string, { replaceTokens, scrub }: Pick<SecretVault, 'replaceTokens' | 'scrub'>): string {
  // No argument can hold a null character, so that it can mark where names begin and end.
  const parts = replaceTokens(text.replaceAll('\0', ''), (name) => `\0${name}\0`).split('\0');
  const words = parts.map((part, index) => (index % 2 === 1 ? variable(part) : part && quoted(scrub(part))));
  return words.join('') || "''";
}

function variable(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `"$${name}"` : quoted(`{{${name}}}`);
}

/** Plain words stay as they are. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
