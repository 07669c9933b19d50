import { isObject } from '@schemakit/core/internal';
import type { ImportContext, Located } from './import-context.ts';

interface ServerOptions {
  /** Instead of the servers of the document. */
  server: string | undefined;
  /** The address of the document, to which relative servers belong. */
  url: string | undefined;
}

/** The root of an operation: the first server of the nearest `servers`, with the defaults of its variables. */
export function planServer(
  holders: readonly Located[],
  { server, url }: ServerOptions,
  context: ImportContext,
): string {
  if (server !== undefined) return withoutSlash(server);
  const holder = holders.find(({ value }) => Array.isArray(value) && value.length > 0);
  const addresses = Array.isArray(holder?.value) ? holder.value.filter(isObject).map((each) => filledIn(each)) : ['/'];
  const [first = '/'] = addresses;
  const secure = addresses.find((address) => address === first.replace(/^http:/, 'https:'));
  const root = URL.parse(secure ?? first, url);
  const pointer = holder?.pointer ?? '/servers';
  if (root === null || !/^https?:$/.test(root.protocol) || /[{}]|%7B/.test(root.href)) {
    const hint = 'Say where the API is: --server https://api.example.com (`server` in the library).';
    return context.leaveOut('IMP005', pointer, `the server ${JSON.stringify(first)} has no absolute address`, hint);
  }
  const others = addresses.filter((address) => address !== first && address !== secure);
  if (others.length > 0) {
    context.omit(
      'IMP023',
      pointer,
      `the server ${others.join(' or ')}, because ${root.href} is used`,
      'Use --server for another.',
    );
  }
  return withoutSlash(`${root.origin}${root.pathname}`);
}

function filledIn({ url, variables }: Record<string, unknown>): string {
  return String(url ?? '/').replace(/\{([^{}]+)\}/g, (placeholder, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined;
    return isObject(variable) && variable.default !== undefined ? String(variable.default) : placeholder;
  });
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
