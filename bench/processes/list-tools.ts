import type { LineClient } from './line-client.ts';

/** All tools of a server, page by page. `onPage` is called after each. */
export async function listTools(
  { request }: Pick<LineClient, 'request'>,
  onPage: () => void = () => {},
): Promise<{ name: string }[]> {
  const all: { name: string }[] = [];
  let cursor: unknown;
  do {
    const { tools, nextCursor } = await request('tools/list', cursor === undefined ? {} : { cursor });
    onPage();
    all.push(...(tools as { name: string }[]));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}
