import { type LineClient, type McpClient, resultIn } from './line-client.ts';

/** All tools of a server, page by page. */
export async function listTools({ request }: Pick<McpClient, 'request'>): Promise<{ name: string }[]> {
  const all: { name: string }[] = [];
  let cursor: unknown;
  do {
    const { tools, nextCursor } = await request('tools/list', cursor === undefined ? {} : { cursor });
    all.push(...(tools as { name: string }[]));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

/**
 * Asks for all pages, and gives what reads them: to look at megabytes of JSON is no work of the server.
 *
 * @param onPage Called after each page.
 */
export async function receiveTools(
  { requestLine }: Pick<LineClient, 'requestLine'>,
  onPage: () => void,
): Promise<() => { name: string }[]> {
  const pages: Buffer[] = [];
  let cursor: string | undefined;
  do {
    const page = await requestLine('tools/list', cursor === undefined ? {} : { cursor });
    onPage();
    pages.push(page);
    cursor = cursorIn(page);
  } while (cursor !== undefined);
  return () => pages.flatMap((page) => resultIn(page).tools as { name: string }[]);
}

/** The cursor for the next page, which no tool here has among its words. */
function cursorIn(page: Buffer): string | undefined {
  const key = '"nextCursor":';
  const at = page.indexOf(key);
  if (at === -1) return undefined;
  const [text = ''] = /^"(?:[^"\\]|\\.)*"/.exec(page.toString('utf8', at + key.length, at + 2000)) ?? [];
  return JSON.parse(text);
}
