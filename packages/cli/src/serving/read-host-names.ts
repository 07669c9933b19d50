import { type CommandResult, misused } from '../output/command-result.ts';

export interface HostFlags {
  allowedHost?: readonly string[];
  allowedOrigin?: readonly string[];
  open: boolean;
}

/** What requests may be addressed to, and whose pages may ask, as the server takes them. */
export interface HostNames {
  allowedHosts?: readonly string[] | 'any';
  allowedOrigins?: readonly string[];
}

type ReadHostNames = { ok: true; names: HostNames } | { ok: false; result: CommandResult };

/** Reads names of hosts. One that no request could ever match, such as one with a port, is refused. */
export function readHostNames({ allowedHost, allowedOrigin, open }: HostFlags): ReadHostNames {
  for (const name of allowedHost ?? []) {
    if (!isHostName(name)) return refused('--allowed-host', name);
  }
  for (const name of allowedOrigin ?? []) {
    // Those of a browser's extensions differ on every machine.
    if (!isHostName(name) && !/^(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*$/.test(name))
      return refused('--allowed-origin', name);
  }
  const names = {
    ...(allowedHost ? { allowedHosts: allowedHost.map(lowerCase) } : open && { allowedHosts: 'any' as const }),
    ...(allowedOrigin && { allowedOrigins: allowedOrigin.map(lowerCase) }),
  };
  return { ok: true, names };
}

function isHostName(name: string): boolean {
  return !name.includes('*') && URL.parse(`http://${name}`)?.hostname === name.toLowerCase();
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}

function refused(flag: string, name: string): ReadHostNames {
  const meant = [name, `http://${name}`].map((text) => URL.parse(text)?.hostname ?? '');
  const example = meant.find((host) => host !== '' && isHostName(host)) ?? 'tools.example.com';
  const error = `${flag} ${name} is no name of a host.`;
  return { ok: false, result: misused(error, `Without scheme, port and path: ${flag} ${example}`) };
}
