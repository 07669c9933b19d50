import type { Assessment } from '../assess/assess.ts';
import type { LayerResult } from '../assess/layer-result.ts';
import { field, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';
import { nameList, plainText } from '../findings/plain-text.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';

const TITLES: Readonly<Record<LayerName, string>> = {
  http: 'HTTP',
  mcp: 'MCP',
  a2a: 'A2A',
  payment: 'Payment',
  oauth: 'OAuth',
  apps: 'MCP Apps',
  html: 'Website',
  erc8004: 'ERC-8004',
};

const STATES: Readonly<Record<LayerResult['state'], string>> = {
  passed: 'passed',
  failed: 'failed',
  'not-detected': 'not detected',
  'not-evaluated': 'not evaluated',
};

const MAX_FACT = 300;

/** Each layer with its state, and what it saw or why it did not. */
export function layerRows({ layers }: Assessment): (readonly [title: string, state: string, fact: string])[] {
  return layerNames.map((name) => {
    const layer = layers[name];
    const fact = layer.detected ? factOf[name](layer.entries) : layer.skipped;
    return [TITLES[name], STATES[layer.state], plainText(fact, MAX_FACT)] as const;
  });
}

/** The grade, and what would better it. */
export function gradeRows({ grade, entries }: Assessment): (readonly [name: string, value: string])[] {
  const { letter, coverage } = grade;
  const rows = [
    ['Endpoint', plainText(String(entries.endpoint ?? '-'), MAX_FACT)],
    ['Grade', `${letter}: ${MEANINGS[letter]}; ${coverage.seen} of ${coverage.of} layers evaluated`],
  ] as const;
  const next = nextOf(grade);
  return next === undefined
    ? rows.slice()
    : [...rows, ['Next', `${next.goal}${nameList(next.mend, { max: MAX_MEND })}`]];
}

export const MAX_MEND = 5;

/** What comes before the ids of the findings to mend, and these. */
export function nextOf({ letter, next }: Assessment['grade']): { goal: string; mend: string[] } | undefined {
  if (next === null || next.mend.length === 0) return undefined;
  return { goal: letter === 'F' ? 'mend ' : `${next.letter}: mend `, mend: next.mend };
}

const MEANINGS: Readonly<Record<Assessment['grade']['letter'], string>> = {
  A: 'no errors, no warnings',
  B: 'warnings',
  C: 'errors in one layer',
  D: 'errors in several layers',
  F: 'not reachable, or nothing there',
};

/** What a layer saw, in one line. */
const factOf: Readonly<Record<LayerName, (entries: PlainObject) => string>> = {
  http: ({ statusCode, redirectCount, sslProtocol, alpn }) => {
    const redirects = redirectCount === 0 ? null : counted(Number(redirectCount), 'redirect');
    return joined([statusCode !== null && `status ${statusCode}`, redirects, sslProtocol ?? 'no TLS', alpn]);
  },
  mcp: (entries) => {
    const { serverName, serverVersion, protocolVersion, transport } = entries;
    if (transport === null) return 'the handshake failed';
    const counts = ['tool', 'resource', 'prompt'].map((kind) => counted(listOf(entries[`${kind}s`]).length, kind));
    return joined([named(serverName, serverVersion), `${protocolVersion} over ${transport}`, ...counts]);
  },
  a2a: ({ agentName, agentVersion, protocolVersion, skillCount, interfaces }) => {
    const ways = listOf(interfaces).map(
      (way) => `${field(way, 'protocolBinding')} ${String(field(way, 'state')).replaceAll('-', ' ')}`,
    );
    const version = typeof protocolVersion === 'string' && `A2A ${protocolVersion}`;
    return joined([named(agentName, agentVersion), version, counted(Number(skillCount), 'skill'), ...ways.slice(0, 4)]);
  },
  payment: ({ prices, restrictedCalls }) => {
    const told = listOf(prices).map((price) => `${field(price, 'toolName')}: ${field(price, 'text')}`);
    const without = listOf(restrictedCalls).length === 0 ? 'a price is advertised' : 'required, without usable terms';
    return told.length === 0 ? without : told.slice(0, 5).join('; ');
  },
  oauth: ({ isRequired, issuer, scopesSupported }) => {
    const need = isRequired === true ? 'required' : 'advertised';
    const scopes = texts(scopesSupported);
    const of = typeof issuer === 'string' ? ` by ${issuer}` : '';
    return `${need}${of}${scopes.length === 0 ? '' : `, scopes ${nameList(scopes, { max: 5 })}`}`;
  },
  apps: ({ uiResourceCount, uiLinkedToolCount }) =>
    joined([counted(Number(uiResourceCount), 'UI resource'), counted(Number(uiLinkedToolCount), 'linked tool')]),
  html: ({ kind, title, siteName }) => joined([kind, title, siteName]),
  erc8004: ({ agentId, chainAlias, agentRegistry, registrationName, isOnChainVerified }) =>
    typeof agentId === 'number'
      ? joined([
          named(`agent ${agentId} on`, chainAlias ?? agentRegistry),
          registrationName,
          isOnChainVerified === true ? 'belongs to this endpoint' : 'not shown to belong to this endpoint',
        ])
      : 'a registration file that names no agent',
};

/** A name and its version, as far as they are texts. */
function named(...parts: unknown[]): string {
  return parts.filter((part) => typeof part === 'string').join(' ');
}

function joined(parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.filter((item) => isPlainObject(item)) : [];
}

/** The evidence of a finding in one line. */
export function evidenceLine({ request, status, headers = {}, body }: NonNullable<Evidence>): string {
  const answer = status === undefined ? [] : [`HTTP ${status}`];
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [request, [...answer, ...named, ...(body === undefined ? [] : [body])].join(', ')]
    .filter(Boolean)
    .join(' -> ');
}

type Evidence = Assessment['findings'][number]['evidence'];
