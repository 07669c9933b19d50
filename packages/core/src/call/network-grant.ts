/** Where the requests of a schema may go. */
export interface NetworkGrant {
  /** Origins; a host label `*` stands for one label. `any` allows every public address. */
  origins: readonly string[] | 'any';
  /** The origin that the schema itself names, whose host may be private because its user chose it. */
  privateOrigins: readonly string[];
}

/**
 * The grant that a schema's own `root` gives: its origin. A label such as `--network--`, which a hook fills in, stands
 * for any one label.
 */
export function networkGrant(
  root: string,
  { granted = [], approveRoot = true }: { granted?: readonly string[] | 'any'; approveRoot?: boolean } = {},
): NetworkGrant {
  const origin = originOf(root.replace(/\{\{[^{}]*\}\}/g, 'x'));
  const own = origin === undefined ? [] : [origin.replace(/--[a-z0-9_-]+?--/gi, '*')];
  return {
    origins: granted === 'any' ? 'any' : [...own, ...granted],
    privateOrigins: origin !== undefined && approveRoot && own[0] === origin ? [origin] : [],
  };
}

/** Tells whether a grant covers a URL. */
export function isGranted(url: string, { origins }: NetworkGrant): boolean {
  if (origins === 'any') return true;
  const origin = originOf(url);
  return origin !== undefined && origins.some((pattern) => pattern === origin || matches(origin, pattern));
}

/** Scheme, host and port of an http(s) URL; undefined for anything else. */
export function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, protocol } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
}

function matches(origin: string, pattern: string): boolean {
  if (!pattern.includes('*')) return false;
  const source = pattern
    .split('*')
    .map((text) => text.replace(/[.\\+?^${}()|[\]/]/g, '\\$&'))
    .join('[^./:]+');
  return new RegExp(`^${source}$`).test(origin);
}
