import { createOriginMatcher, type NetworkPolicy } from '@schemakit/http';

/** Where the requests of a schema may go. */
export interface NetworkGrant {
  /** Tells whether a planned request, or one that a hook changed, may go to a URL. */
  allows(url: string): boolean;
  /** Tells whether a URL is of the schema's own root: the only place for its secrets. */
  isRoot(url: string): boolean;
  /** The origins that are allowed, for messages. */
  origins: readonly string[] | 'any';
  /** For planned requests: redirects may lead to any public address, without secrets. */
  policy: NetworkPolicy;
  /** For requests that handlers make: the origins and nothing else, redirects included. */
  handlerPolicy: NetworkPolicy;
}

/** What a program or a user granted beside the schema's own root. */
export interface GrantedNetwork {
  granted: readonly string[] | 'any';
  /** Whether the root's origin is approved even where its host is private. */
  approveRoot: boolean;
}

/**
 * The grant of a schema: the origin of its own `root`, and what was granted to it. A label such as `--network--`, which a
 * hook fills in, stands for any one label.
 */
export function networkGrant(root: string, { granted, approveRoot }: GrantedNetwork): NetworkGrant {
  // A server parameter in the host stands for one label as well.
  const origin = originOf(root.replace(/\{\{[^{}]*\}\}/g, '--x--'));
  const own = origin?.replace(/--[a-z0-9_-]+?--/gi, '*');
  const origins = granted === 'any' ? 'any' : [...(own === undefined ? [] : [own]), ...granted];
  // An origin that was granted by its full name may be private too.
  const named = granted === 'any' ? [] : granted.filter((pattern) => !pattern.includes('*'));
  const privateOrigins = [...(origin !== undefined && own === origin && approveRoot ? [origin] : []), ...named];
  const prefix = origin === own && origin !== undefined ? `${origin}/` : undefined;
  const matches = origins === 'any' ? () => true : createOriginMatcher(origins);
  const matchesRoot = createOriginMatcher(own === undefined ? [] : [own]);
  return {
    origins,
    policy: { privateOrigins },
    handlerPolicy: origins === 'any' ? { privateOrigins } : { privateOrigins, allowedOrigins: origins },
    allows(url) {
      // Nearly every request goes to the root; parsing its URL once more would cost more than planning it.
      if (prefix !== undefined && url.startsWith(prefix)) return true;
      return originOf(url) !== undefined && matches(new URL(url));
    },
    isRoot(url) {
      if (prefix !== undefined && url.startsWith(prefix)) return true;
      return originOf(url) !== undefined && matchesRoot(new URL(url));
    },
  };
}

/** Scheme, host and port of an http(s) URL; undefined for anything else. */
export function originOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.origin : undefined;
}
