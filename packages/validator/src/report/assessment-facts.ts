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
    const fact = layer.detected ? (factOf[name]?.(layer.entries) ?? trueOnes(layer.categories)) : layer.skipped;
    return [TITLES[name], STATES[layer.state], plainText(fact, MAX_FACT)] as const;
  });
}

/** The grade, and what would better it. */
export function gradeRows({ grade, entries }: Assessment): (readonly [name: string, value: string])[] {
  const { letter, coverage, next } = grade;
  const rows = [
    ['Endpoint', plainText(String(entries.endpoint ?? '-'), MAX_FACT)],
    ['Grade', `${letter}: ${MEANINGS[letter]}; ${coverage.seen} of ${coverage.of} layers evaluated`],
  ] as const;
  if (next === null || next.mend.length === 0) return rows.slice();
  const to = letter === 'F' ? '' : `${next.letter}: `;
  return [...rows, ['Next', `${to}mend ${nameList(next.mend, { max: 5 })}`]];
}

const MEANINGS: Readonly<Record<Assessment['grade']['letter'], string>> = {
  A: 'no errors, no warnings',
  B: 'warnings',
  C: 'errors in one layer',
  D: 'errors in several layers',
  F: 'not reachable, or nothing there',
};

/** What a layer saw, in one line. Layers without a line of their own list their categories. */
const factOf: Readonly<Partial<Record<LayerName, (entries: PlainObject) => string>>> = {
  mcp: (entries) => {
    const { serverName, serverVersion, protocolVersion, transport } = entries;
    if (transport === null) return 'the handshake failed';
    const counts = ['tool', 'resource', 'prompt'].map((kind) => {
      const { length } = listOf(entries[`${kind}s`]);
      return `${length} ${kind}${length === 1 ? '' : 's'}`;
    });
    const name = [serverName, serverVersion].filter((part) => typeof part === 'string').join(' ');
    return [name, `${protocolVersion} over ${transport}`, ...counts].filter(Boolean).join(', ');
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
};

/** `hasValidSsl` is written `has valid ssl`. */
function trueOnes(categories: Readonly<Record<string, boolean>>): string {
  const names = Object.entries(categories).flatMap(([name, value]) => (value ? [name] : []));
  return names.map((name) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)).join(', ');
}

/** What requires payment, for `placeOf`. */
export function restrictedCallsOf({ layers: { payment } }: Assessment): readonly { toolName: string }[] {
  const calls = payment.detected ? listOf(payment.entries.restrictedCalls) : [];
  return calls.map((call) => ({ toolName: String(field(call, 'toolName')) }));
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
