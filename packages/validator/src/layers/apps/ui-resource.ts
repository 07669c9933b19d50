import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { distinct, field, isPlainObject, textOrNull, texts } from '../../findings/plain-object.ts';
import { exactText, nameList, plainText } from '../../findings/plain-text.ts';
import { isLoopback } from '../../network/loopback.ts';
import type { AppsCode } from './apps-codes.ts';

/** A UI resource that was read. */
export interface UiResource {
  uri: string;
  name: string | null;
  mimeType: string | null;
  hasCsp: boolean;
  hasPermissions: boolean;
  /** Of the page; 0 without one. The page itself is not kept, as there may be many large ones. */
  characters: number;
  adaptsToTheme: boolean;
  adaptsToDisplayMode: boolean;
  hasFallback: boolean;
  csp: Record<CspList, string[]>;
  permissions: string[];
  findings: Finding[];
}

type CspList = (typeof CSP_LISTS)[number];

const CSP_LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;
const PERMISSIONS: ReadonlySet<string> = new Set(['camera', 'microphone', 'geolocation', 'clipboardWrite']);
const SENSITIVE: ReadonlySet<string> = new Set(['camera', 'microphone']);
/** The start of a page is enough for what is looked for. */
const MAX_HTML = 2_000_000;

/** Checks a UI resource. `listing` is its entry in `resources/list`, `content` its item of `resources/read`, which takes precedence. */
export function checkUiResource(uri: string, listing: unknown, content: unknown): UiResource {
  const findings: Finding[] = [];
  const shown = exactText(uri, 120);
  const say = (code: AppsCode, text: string, of: unknown): void => {
    findings.push(finding(code, shown, text, { evidence: partEvidence(`resources/read ${shown}`, of) }));
  };
  const otherUri = textOrNull(field(content, 'uri'));
  if (otherUri !== null && otherUri !== uri) say('UIR-004', `Its \`uri\` is ${nameList([otherUri])}`, content);
  const mimeType = textOrNull(field(content, 'mimeType') ?? field(listing, 'mimeType'));
  const isHtml = mimeType !== null && /^text\/html(?:\s*;\s*profile\s*=\s*"?mcp-app"?)?$/i.test(mimeType.slice(0, 100));
  if (!isHtml)
    say('UIR-002', `The media type is ${plainText(mimeType ?? 'missing', 100)}`, mimeType ?? 'no media type');
  const html = htmlOf(content, say);
  const ui = field(field(content, '_meta'), 'ui') ?? field(field(listing, '_meta'), 'ui');
  const policy = field(ui, 'csp');
  const csp = Object.fromEntries(
    CSP_LISTS.map((list) => [list, texts(field(policy, list)).slice(0, 100)]),
  ) as UiResource['csp'];
  checkPolicy(policy, { csp, html, say });
  const permissions = permissionsOf(field(ui, 'permissions'));
  const unknown = permissions.filter((name) => !PERMISSIONS.has(name));
  const sensitive = permissions.filter((name) => SENSITIVE.has(name));
  if (unknown.length > 0) say('UIV-030', `Unknown: ${nameList(unknown)}`, ui);
  if (sensitive.length > 0) say('UIV-031', `Asks for ${nameList(sensitive)}`, ui);
  const adaptsToTheme = /color-scheme|light-dark\(|hostContext|--color-|data-theme/i.test(html);
  const hasFallback = /<noscript\b/i.test(html);
  if (html !== '' && !adaptsToTheme) say('UIV-050', 'No sign of light and dark themes in the page', html);
  if (html !== '' && !hasFallback) say('UIV-070', 'No `<noscript>` in the page', html);
  return {
    ...{ uri, name: textOrNull(field(listing, 'name')), mimeType, csp, permissions, findings },
    ...{ characters: html.length, adaptsToTheme, hasFallback },
    adaptsToDisplayMode: /displayMode|display-mode/i.test(html),
    ...{ hasCsp: isPlainObject(policy), hasPermissions: permissions.length > 0 },
  };
}

type Say = (code: AppsCode, text: string, of: unknown) => void;

/** The HTML; empty if it is not there or not HTML. */
function htmlOf(content: unknown, say: Say): string {
  const [text, blob] = [field(content, 'text'), field(content, 'blob')];
  const given = text ?? blob;
  if (given === undefined || given === null) say('UIV-010', 'Neither `text` nor `blob`', content ?? 'nothing');
  else if (typeof given !== 'string') say('UIV-011', `A value of type ${typeof given}`, content);
  else {
    const size = Math.ceil((MAX_HTML * 4) / 3);
    const html =
      given === blob ? Buffer.from(given.slice(0, size), 'base64').toString('utf8') : given.slice(0, MAX_HTML);
    if (html.trim() === '') say('UIV-012', 'The page is empty', content);
    else if (!/<!doctype html|<html[\s>]|<body[\s>]/i.test(html))
      say('UIV-013', 'No doctype, `<html>` or `<body>`', html);
    else return html;
  }
  return '';
}

/** What a page loads by markup, from another origin. */
const LOADED =
  /<(?:script|img|iframe|video|audio|source|embed)\b[^>]{0,500}?\ssrc\s*=\s*["']?(https?:\/\/[^"'\s>]{1,300})|<link\b[^>]{0,500}?\shref\s*=\s*["']?(https?:\/\/[^"'\s>]{1,300})/gi;

function checkPolicy(policy: unknown, { csp, html, say }: { csp: UiResource['csp']; html: string; say: Say }): void {
  if (!isPlainObject(policy)) {
    const loaded = [...html.matchAll(LOADED)].flatMap(
      ([, source, link]) => URL.parse(source ?? link ?? '')?.origin ?? [],
    );
    if (loaded.length > 0) say('UIV-020', `No \`csp\`, but loads from ${nameList(distinct(loaded), { max: 5 })}`, html);
    return;
  }
  const domains = distinct(CSP_LISTS.flatMap((list) => csp[list]));
  const open = domains.filter((domain) => /^(?:(?:https?|wss?):(?:\/\/)?)?\*?(?:\.[a-z]{2,63})?$/i.test(domain));
  const wrong = domains.filter((domain) => !open.includes(domain) && !isSource(domain));
  if (wrong.length > 0) say('UIV-021', `Not https: or wss: ${nameList(wrong, { max: 5 })}`, policy);
  if (open.length > 0) say('UIV-022', `Allows ${nameList(open, { max: 5 })}`, policy);
}

/** Wildcards for subdomains are allowed; a page on this machine may be over http. */
function isSource(domain: string): boolean {
  if (domain === 'self' || domain === "'self'") return true;
  const url = URL.parse(domain.replace('://*.', '://any.'));
  if (url === null || url.hostname.includes('*')) return false;
  return ['https:', 'wss:'].includes(url.protocol) || (isLoopback(url) && ['http:', 'ws:'].includes(url.protocol));
}

/** Names of permissions: the keys of an object, or the words of an array. */
function permissionsOf(value: unknown): string[] {
  return (isPlainObject(value) ? Object.keys(value) : texts(value)).slice(0, 50);
}
