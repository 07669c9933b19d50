import type { ToolSource } from './config.ts';
import { schemaTools } from './schema-tools.ts';

/** The secrets of tool sources, which a model must not see. */
export function sourceSecrets(source: ToolSource): string[] {
  if (source.type === 'flowmcp') return paramSecrets(schemaTools(source), source.serverParams);
  if (source.type !== 'mcp') return [];
  const headers = Object.entries(source.headers ?? {}).flatMap(([name, value]) => headerSecrets(name, value));
  return [...headers, ...querySecrets(source.url), ...argumentSecrets(source.command ?? [])];
}

/** The server parameters that tools need. Others may be words that answers contain: programs pass their whole environment. */
export function paramSecrets(
  tools: readonly { requiredServerParams: readonly string[] }[],
  serverParams: Readonly<Record<string, string | undefined>> = {},
): string[] {
  const names = new Set(tools.flatMap(({ requiredServerParams }) => requiredServerParams));
  return [...names].flatMap((name) => (Object.hasOwn(serverParams, name) ? (serverParams[name] ?? []) : []));
}

/** A header, and the parts of one that authenticates: what follows the scheme, a password, the values of cookies and parameters. */
function headerSecrets(header: string, value: string): string[] {
  if (!secretName.test(header)) return [value];
  const credentials = value.trim().replace(/^[\w-]+\s+/, '');
  const basic = /^basic\s/i.test(value.trim()) ? Buffer.from(credentials, 'base64').toString() : '';
  const parts = credentials.split(/[\s;,]+/).map((part) => unquoted(part.replace(/^[^=]*=(?=.)/, '')));
  return [value, credentials, ...parts, basic, basic.replace(/^[^:]*:/, '')];
}

function querySecrets(url: string | undefined): string[] {
  const { search = '', searchParams } = URL.parse(url ?? '') ?? {};
  return [search, ...[...(searchParams ?? [])].filter(isSecret).map(([, value]) => value)];
}

/** `--api-key=…`, `TOKEN=…`, and what follows `--api-key`. */
function argumentSecrets([, ...args]: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(argument) ?? [];
    if (value !== '') return isSecret([name, value]) ? value : [];
    const before = args[index - 1] ?? '';
    const isValue = before.startsWith('-') && !before.includes('=');
    return isSecret([isValue ? before : '', argument]) && !argument.startsWith('-') ? argument : [];
  });
}

const secretName = /key|token|secret|auth|pass|sig|cookie|session|credential/i;

/** By its name, or because it looks like one: answers may contain values that are words or numbers. */
function isSecret([name, value]: readonly [string, string]): boolean {
  return secretName.test(name) || /^(?=.*\d)(?=.*[A-Za-z])[\w.~+/=-]{10,}$/.test(value);
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/s, '$1');
}
