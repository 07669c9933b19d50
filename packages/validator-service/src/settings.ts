import { isIP } from 'node:net';
import { finding, type ServiceFinding } from './problems/finding.ts';

/** What the environment sets. */
export interface Settings {
  /** 0 for any free port. Default 8080. */
  port: number;
  /** The address to listen at. Default 127.0.0.1. */
  host: string;
  /** Without it, everybody who reaches the service may use all of it. */
  apiToken?: string;
  /** The folder for reports. Without it they are kept in memory. */
  dataDir?: string;
  /** Lets loopback and private addresses be checked. Default false. */
  allowPrivateTargets: boolean;
  /** The origin where people reach the service, such as `https://check.example.com`. */
  publicUrl?: string;
  /** Addresses and networks of proxies whose X-Forwarded headers count. Default: none. */
  trustProxy: readonly string[];
  /** Requests per minute of an address; 0 for no limit. Default 60. */
  rateLimit: number;
  /** Checks at the same time; others wait. Default 16. */
  maxRunning: number;
  /** The oldest reports above are deleted. Default 10,000. */
  maxReports: number;
  /** How long reports are kept. Default 30. */
  retentionDays: number;
}

export const defaultSettings: Settings = {
  port: 8080,
  host: '127.0.0.1',
  allowPrivateTargets: false,
  trustProxy: [],
  rateLimit: 60,
  maxRunning: 16,
  maxReports: 10_000,
  retentionDays: 30,
};

/**
 * Reads the settings from environment variables. `settings` is undefined if there are findings.
 *
 * @example
 * const { settings, findings } = readSettings({ PORT: '0', RATE_LIMIT: '120' });
 * console.log(settings?.rateLimit, findings); // 120 []
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): {
  settings?: Settings;
  findings: ServiceFinding[];
} {
  const findings: ServiceFinding[] = [];
  function read<T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const text = env[name]?.trim();
    if (text === undefined) return undefined;
    const value = parse(text);
    // A secret must not reach a log.
    const shown = name === 'API_TOKEN' ? '' : `; it is ${JSON.stringify(text)}`;
    if (value === undefined)
      findings.push(finding('SVC001', { path: name, message: `${name} must be ${expected}${shown}.` }));
    return value;
  }
  const whole = (name: string, min: number, max: number): number | undefined =>
    read(name, `a whole number from ${min} to ${max}`, (text) => wholeNumber(text, min, max));
  const given = {
    port: whole('PORT', 0, 65_535),
    host: read('HOST', 'a host name or an IP address', (text) => (/^[\w.:-]+$/.test(text) ? text : undefined)),
    apiToken: read('API_TOKEN', 'a token of visible ASCII characters', (text) =>
      /^[\x21-\x7e]+$/.test(text) ? text : undefined,
    ),
    dataDir: read('DATA_DIR', 'a folder', (text) => (text === '' ? undefined : text)),
    allowPrivateTargets: read('ALLOW_PRIVATE_TARGETS', '1, true, 0 or false', yesOrNo),
    publicUrl: read('PUBLIC_URL', 'an origin such as https://check.example.com, without a path', originOf),
    trustProxy: read(
      'TRUST_PROXY',
      '1 or true for proxies with private addresses, or addresses and networks of proxies, separated by commas',
      proxies,
    ),
    rateLimit: whole('RATE_LIMIT', 0, 1_000_000),
    maxRunning: whole('MAX_RUNNING', 1, 1000),
    maxReports: whole('MAX_REPORTS', 0, 10_000_000),
    retentionDays: whole('RETENTION_DAYS', 1, 3650),
  };
  if (findings.length > 0) return { findings };
  const isGiven = ([, value]: [string, unknown]) => value !== undefined;
  return { settings: { ...defaultSettings, ...Object.fromEntries(Object.entries(given).filter(isGiven)) }, findings };
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function yesOrNo(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (word === '1' || word === 'true') return true;
  return word === '' || word === '0' || word === 'false' ? false : undefined;
}

function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  return isOrigin ? url.origin : undefined;
}

function proxies(text: string): string[] | undefined {
  const flag = yesOrNo(text);
  if (flag !== undefined) return flag ? ['loopback', 'linklocal', 'uniquelocal'] : [];
  const networks = text.split(',').map((part) => part.trim());
  return networks.every(isNetwork) ? networks : undefined;
}

/** An address, or a network such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...others] = text.split('/');
  const version = isIP(address);
  if (version === 0 || others.length > 0) return false;
  if (prefix === undefined) return true;
  return wholeNumber(prefix, 1, version === 4 ? 32 : 128) !== undefined;
}
