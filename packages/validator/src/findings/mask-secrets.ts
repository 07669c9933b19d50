import { createScrubber, scrubJson } from '@schemakit/http';

interface Secrets {
  headers: Readonly<Record<string, string>>;
  stdio?: { env?: Readonly<Record<string, string>> } | null;
  endpoint: URL | null;
}

/** Makes a function that masks the user's credentials in plain JSON: servers may repeat them, and results end up in reports. */
export function secretMask({ headers, stdio, endpoint }: Secrets): <T>(result: T) => T {
  const secrets = [
    ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]),
    // A server may repeat a single cookie, such as the id of a session.
    ...Object.entries(headers).flatMap(([name, value]) => (/^cookie$/i.test(name) ? cookiesOf(value) : [])),
    ...Object.values(stdio?.env ?? {}),
    ...(endpoint?.searchParams.values() ?? []),
  ];
  if (secrets.length === 0) return (result) => result;
  const scrubber = createScrubber(secrets);
  return <T>(result: T) => scrubJson(result as never, scrubber) as T;
}

function cookiesOf(header: string): string[] {
  return header.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
}

/** A URL for reports. Masks the query, which may contain keys, except its names. */
export function shownUrl(url: URL): string {
  const shown = new URL(url);
  if (shown.search !== '')
    shown.search = shown.search.replaceAll(
      /=[^&]+|(?<=[?&])[^&=]+(?=&|$)/g,
      (part) => `${part.startsWith('=') ? '=' : ''}REDACTED`,
    );
  return shown.href;
}
