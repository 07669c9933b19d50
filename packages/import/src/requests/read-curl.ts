import { parse } from 'shell-quote';
import type { SampleRequest } from './request-document.ts';

export type ReadCurl = { ok: true; request: SampleRequest } | { ok: false; message: string; hint: string };

/** What a flag means; short flags by the names of the long ones. Those that take a value and do not describe the request are `skipped`. */
const withValue: Readonly<Record<string, string>> = {
  ...{ X: 'request', H: 'header', d: 'data', F: 'form', u: 'user', A: 'user-agent', e: 'referer', b: 'cookie' },
  ...{ o: 'skipped', m: 'skipped', w: 'skipped', c: 'skipped', x: 'skipped' },
  ...Object.fromEntries(
    ['request', 'header', 'data', 'form', 'user', 'user-agent', 'referer', 'cookie', 'url', 'json', 'data-urlencode']
      .concat('data-raw', 'data-ascii', 'data-binary', 'form-string', 'oauth2-bearer', 'url-query')
      .map((name) => [name, name]),
  ),
  ...Object.fromEntries(
    [
      'output',
      'max-time',
      'connect-timeout',
      'retry',
      'retry-delay',
      'write-out',
      'cookie-jar',
      'proxy',
      'max-redirs',
      'cacert',
      'resolve',
    ].map((name) => [name, 'skipped']),
  ),
};

const withoutValue = new Set([
  ...[
    's',
    'S',
    'L',
    'k',
    'v',
    'i',
    'f',
    'g',
    'N',
    '#',
    'G',
    'I',
    '0',
    '4',
    '6',
    'get',
    'head',
    'silent',
    'show-error',
    'location',
    'insecure',
  ],
  ...[
    'verbose',
    'include',
    'fail',
    'fail-with-body',
    'globoff',
    'compressed',
    'no-buffer',
    'http1.1',
    'http2',
    'http3',
    'ssl-no-revoke',
    'progress-bar',
  ],
]);

const dataFlags = new Set(['data', 'data-raw', 'data-ascii', 'data-binary', 'data-urlencode', 'json']);

/** A command that describes a request. Browsers copy requests for curl and for PowerShell. */
export function isCommand(text: string): boolean {
  return /^\s*curl\s/.test(text) || isPowerShell(text);
}

function isPowerShell(text: string): boolean {
  return /^\s*(\$session\s*=|Invoke-(WebRequest|RestMethod)\b)/i.test(text);
}

/** Reads a curl command as a shell would split it. `$NAME` stays as it is. */
export function readCurl(command: string): ReadCurl {
  if (isPowerShell(command)) {
    return refuse('a command for PowerShell cannot be read', 'Copy the request as cURL (bash) instead.');
  }
  const [program, ...words] = wordsOf(command);
  if (program !== 'curl') return refuse('the command does not begin with curl', 'Copy the whole command.');
  const flags: [name: string, value: string][] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') flags.push(['url', word]);
    else {
      const read = word.startsWith('--') ? longFlag(word) : shortFlags(word);
      if (typeof read === 'string')
        return refuse(`the flag ${read} is not supported`, 'Remove it, if the request does not need it.');
      for (const { name, value } of read) flags.push([name, value ?? words[++at] ?? '']);
    }
  }
  return requestOf(flags);
}

function refuse(message: string, hint: string): ReadCurl {
  return { ok: false, message, hint };
}

/** The words before a pipe or the like. */
function wordsOf(command: string): string[] {
  const joined = withoutCarets(command)
    .replace(/\\\r?\n/g, ' ')
    .replace(/\$'((?:[^'\\]|\\[\s\S])*)'/g, (_, text: string) => `'${ansiText(text)}'`);
  const words: string[] = [];
  for (const word of parse(joined.trim(), (name) => `$${name}`)) {
    if (typeof word === 'string') words.push(word);
    else if ('pattern' in word) words.push(word.pattern);
    else if (!('comment' in word)) break;
  }
  return words;
}

/**
 * A command for cmd, which escapes with carets, as bash reads it. Browsers write `curl ^"…^" ^`, and before 2024 `curl "…" ^`. A caret before a line
 * break continues the line; before an empty line, it is the line break.
 */
function withoutCarets(command: string): string {
  if (/^\s*curl\s+\^"/.test(command)) {
    const plain = command.replace(
      /\^\r?\n(\r?\n)?|\^([\s\S])/g,
      (_, lineBreak, character) => character ?? (lineBreak ? '\n' : ''),
    );
    return plain.replace(/"((?:[^"\\]|\\[\s\S])*)"/g, (_, text: string) => {
      const value = text.replace(/\\([\\"])/g, '$1');
      return `'${value.replaceAll("'", "'\\''")}'`;
    });
  }
  return /^\s*curl [^\n]* \^\r?\n/.test(command) ? command.replace(/ \^\r?\n/g, ' ') : command;
}

/** `$'…'` of bash, which browsers write for bodies with quotes. */
function ansiText(text: string): string {
  const decoded = text.replace(/\\(?:u([0-9a-f]{4})|([\s\S]))/gi, (_, code: string | undefined, character: string) =>
    code === undefined
      ? ({ n: '\n', r: '\r', t: '\t' }[character] ?? character)
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decoded.replaceAll("'", "'\\''");
}

type Flag = { name: string; value: string | undefined };

function longFlag(word: string): Flag[] | string {
  const [name = '', value] = word.slice(2).split(/=(.*)/s);
  const known = withValue[name];
  if (known !== undefined) return [{ name: known, value }];
  return withoutValue.has(name.replace(/^no-(?=silent|location)/, '')) ? [{ name, value: '' }] : word;
}

/** `-sSL`, and `-XPOST` or `-X POST`. */
function shortFlags(word: string): Flag[] | string {
  const flags: Flag[] = [];
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    const name = withValue[letter];
    if (name !== undefined) return [...flags, { name, value: word.slice(at + 1) || undefined }];
    if (!withoutValue.has(letter)) return `-${letter}`;
    flags.push({ name: letter, value: '' });
  }
  return flags;
}

function requestOf(flags: readonly (readonly [string, string])[]): ReadCurl {
  const all = (name: string) => flags.filter(([flag]) => flag === name).map(([, value]) => value);
  const has = (...names: string[]) => flags.some(([flag]) => names.includes(flag));
  const [address, another] = all('url');
  const url =
    address === undefined ? null : URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    return refuse('the command has no http(s) address', 'Add the address of the request.');
  if (another !== undefined) return refuse('the command has several addresses', 'Import one request at a time.');
  const pieces = flags.filter(([flag]) => dataFlags.has(flag)).map(([flag, value]) => dataPiece(flag, value));
  if (pieces.includes(undefined)) {
    return refuse('the body is read from a file', 'Write the body itself after -d, or a form field as -F name=@file.');
  }
  const form = [
    ...all('form').map((field) => formField(field, true)),
    ...all('form-string').map((field) => formField(field, false)),
  ];
  const isGet = has('G', 'get');
  const data = pieces.join('&');
  if (isGet && data !== '') url.search += `${url.search === '' ? '?' : '&'}${data}`;
  for (const query of all('url-query')) url.searchParams.append(...pairOf(query));
  const body = isGet || pieces.length === 0 ? {} : { data };
  const usual = has('I', 'head') ? 'HEAD' : body.data !== undefined || form.length > 0 ? 'POST' : 'GET';
  const { username, password } = url;
  const user = all('user').at(-1) ?? (username === '' ? undefined : `${username}:${password}`);
  return {
    ok: true,
    request: {
      method: (all('request').at(-1) ?? usual).toUpperCase(),
      url,
      headers: [...all('header').flatMap(headerOf), ...otherHeaders(all, has('json'))],
      ...(user !== undefined && { user }),
      ...body,
      form,
    },
  };
}

function headerOf(line: string): [string, string][] {
  const [name = '', value = ''] = line.split(/:\s*(.*)/s);
  return value === '' ? [] : [[name.trim(), value.trim()]];
}

function otherHeaders(all: (name: string) => string[], isJson: boolean): [string, string][] {
  const token = all('oauth2-bearer').at(-1);
  return [
    ...(isJson ? [['Content-Type', 'application/json'] as [string, string]] : []),
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as [string, string]]),
    ...all('cookie')
      .filter((value) => value.includes('='))
      .map((value): [string, string] => ['Cookie', value]),
  ];
}

/** Undefined where the data is in a file. */
function dataPiece(flag: string, value: string): string | undefined {
  if (flag === 'data-urlencode') {
    const [name, content] = pairOf(value);
    if (!value.includes('=')) return value.includes('@') ? undefined : encodeURIComponent(value);
    return `${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`;
  }
  return value.startsWith('@') && flag !== 'data-raw' ? undefined : value;
}

function formField(field: string, mayBeFile: boolean): SampleRequest['form'][number] {
  const [name, content] = pairOf(field);
  const isFile = mayBeFile && /^[@<]/.test(content);
  return { name, value: isFile ? '' : content, isFile };
}

function pairOf(text: string): [string, string] {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  return [name, value];
}
