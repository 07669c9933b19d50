import type { OutgoingBody } from './request/encode-body.ts';
import type { SecretVault } from './secret-vault.ts';
import type { OutgoingRequest } from './send-request.ts';

/** The files that a curl command reads. */
export interface CurlFiles {
  /** The name of the file that is the whole body. Default `body`. */
  fileName?: string;
  /** Where the files are, by their names. Default: in the folder of the command. */
  filePaths?: Readonly<Record<string, string>> | undefined;
}

export function pathOf(name: string, filePaths: CurlFiles['filePaths'] = {}): string {
  return (Object.hasOwn(filePaths, name) ? filePaths[name] : undefined) ?? name;
}

/** A curl command for a POSIX shell. Secrets are environment variables with the names of the parameters, or placeholders if invalid. */
export function curlCommand(
  { url, method, headers, body }: OutgoingRequest,
  vault: Pick<SecretVault, 'replaceTokens' | 'scrub'>,
  { fileName = 'body', filePaths = {} }: CurlFiles = {},
): string {
  const word = (text: string) => shellWord(text, vault);
  const isMultipart = typeof body === 'object' && 'parts' in body;
  // curl makes a boundary of its own.
  const sent = Object.entries(headers).filter(([name]) => !isMultipart || name.toLowerCase() !== 'content-type');
  const words = [
    ...methodFlags(method),
    // curl treats brackets and braces as patterns for several URLs.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...sent.flatMap(([name, value]) => headerFlags(name, value, word)),
    ...bodyFlags(body, (name) => pathOf(name ?? fileName, filePaths), word),
    word(url),
  ];
  return `curl ${words.join(' \\\n  ')}`;
}

/** `--request HEAD` would wait for a body. */
function methodFlags(method: string): string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : [`--request ${quoted(method)}`];
}

/** Invalid names are left out: curl reads a file for `@`, and the HTTP client refuses them. */
function headerFlags(name: string, value: string, word: (text: string) => string): string[] {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [];
  // `name:` would remove the header.
  return [`--header ${value === '' ? quoted(`${name};`) : word(`${name}: ${value}`)}`];
}

function bodyFlags(
  body: OutgoingBody | undefined,
  path: (name?: string) => string,
  word: (text: string) => string,
): string[] {
  if (body === undefined) return [];
  if (typeof body === 'string') return [`--data-raw ${word(body)}`];
  if (body instanceof Uint8Array) return [`--data-binary ${word(`@${path()}`)}`];
  return body.parts.map(({ name, content, filename, type }) => {
    if (typeof content === 'string' && type === undefined) return `--form-string ${word(`${name}=${content}`)}`;
    const value = typeof content === 'string' ? formText(content) : `@${formText(path(filename ?? name))}`;
    return `--form ${word(`${name}=${value}${type === undefined ? '' : `;type=${type}`}`)}`;
  });
}

/** curl reads a semicolon, a comma and a leading `@` or `<` in a form as its own syntax, unless the text is quoted. */
function formText(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

function shellWord(text: string, { replaceTokens, scrub }: Pick<SecretVault, 'replaceTokens' | 'scrub'>): string {
  // Arguments cannot contain a null character, so it can delimit the names.
  const parts = replaceTokens(text.replaceAll('\0', ''), (name) => `\0${name}\0`).split('\0');
  const words = parts.map((part, index) => (index % 2 === 1 ? variable(part) : part && quoted(scrub(part))));
  return words.join('') || "''";
}

function variable(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `"$${name}"` : quoted(`{{${name}}}`);
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
