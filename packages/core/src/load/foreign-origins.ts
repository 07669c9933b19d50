import { createOriginMatcher } from '@schemakit/http';
import type { Grants } from '../lock/grants.ts';
import { isOrigin } from '../lock/grants.ts';
import { trustCommand } from '../lock/lock-paths.ts';
import type { HandlersReading } from '../module/read-module.ts';
import type { Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';

interface Reach {
  root: string;
  grants: Grants;
  file: string;
}

/** Reports origins that stand in the handlers' calls of `fetch` and that the schema may not reach: those calls will be refused. */
export function foreignOrigins(
  handlers: HandlersReading | undefined,
  { root, grants: { network = [] }, file }: Reach,
): Finding[] {
  if (handlers?.fetched === undefined || handlers.fetched.length === 0 || network === 'any') return [];
  const own = originPattern(root);
  const mayReach = createOriginMatcher([...(own === undefined ? [] : [own]), ...network].filter(isOrigin));
  return handlers.fetched
    .filter(({ origin }) => !mayReach(new URL(origin)))
    .map(({ origin, line, column }) => {
      const message = `handlers fetch from ${origin}, which is not the origin of main.root: the calls are refused without a grant`;
      const command = trustCommand({ files: [file], flags: ['--network', origin] });
      const hint = `Grant it with ${command}, or pass grants: { network: ['${origin}'] }.`;
      return { ...ruleFinding('VAL028', 'handlers', message, { hint }), line, column };
    });
}

/** The origin of a root, with `*` for labels of the host that are filled in by handlers or from server parameters. */
function originPattern(root: string): string | undefined {
  const url = URL.parse(root.replace(/\{\{[^{}]*\}\}/g, '--x--'));
  return url?.origin.replace(/--[a-z0-9_-]+?--/gi, '*');
}
