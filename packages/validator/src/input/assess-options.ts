import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import { type LayerName, layerNames } from './layer-names.ts';
import { checkStart, type StartOptions, type StartSettings } from './start-options.ts';

/** What the layer `erc8004` needs to read an agent from its chain. */
export interface Erc8004Options {
  /** By alias of a chain, such as `BASE_MAINNET`: the URL of a node, or several that are tried in order. */
  rpcNodes?: Readonly<Record<string, string | readonly string[]>>;
  /** The id of the agent, from 0 on. Default: the one that the agent card names. */
  agentId?: number;
  /** Such as 8453 or `eip155:8453`. */
  chainId?: number | string;
}

/** The options of an assessment; those of the same name are those of `start`. */
export interface AssessInput
  extends Pick<
    StartOptions,
    'timeout' | 'headers' | 'probe' | 'probeLimits' | 'publicOnly' | 'privateOrigins' | 'ca' | 'lookup' | 'signal'
  > {
  /** URL of the endpoint. May be loopback or private. */
  url: string;
  /** The layers to evaluate. Default: all. */
  layers?: readonly LayerName[];
  erc8004?: Erc8004Options;
}

export interface AssessSettings extends StartSettings {
  endpoint: URL;
  layers: readonly LayerName[];
  erc8004: Erc8004Options;
}

const DEFAULT_TIMEOUT = 15_000;

interface Checked {
  findings: Finding[];
  settings?: AssessSettings;
  /** A function, or undefined. */
  onLayer?: unknown;
}

/** Checks the options of `assess`. Returns settings if they are valid, else the first finding of each option. */
export function checkAssess(input: unknown): Checked {
  try {
    return checkOptions(isPlainObject(input) ? { ...input } : {});
  } catch (error) {
    const text = `Cannot read the options: ${error instanceof Error ? error.message : 'no reason given'}`;
    return { findings: [finding('ASM-007', 'assess', text)] };
  }
}

function checkOptions(options: PlainObject): Checked {
  const { url, timeout = DEFAULT_TIMEOUT, layers = layerNames, erc8004 = {}, onLayer, ...others } = options;
  const misplaced = ['endpoint', 'stdio', 'onProgress'].filter((name) => others[name] !== undefined);
  for (const name of misplaced) delete others[name];
  const { findings: found, settings } = checkStart({ ...others, endpoint: url, timeout });
  const findings = [
    ...found.map(ofAssess),
    ...misplaced.map((name) => finding('ASM-007', `assess.${name}`, 'Unknown option', { severity: 'WARNING' })),
    ...layersProblem(layers),
    ...(onLayer === undefined || typeof onLayer === 'function'
      ? []
      : [problem('ASM-007', 'onLayer', 'Must be a function')]),
    ...erc8004Problems(erc8004),
  ];
  const isValid = findings.every(({ severity }) => severity !== 'ERROR');
  if (!isValid || settings?.endpoint == null) return { findings };
  const checked = { layers: layers as LayerName[], erc8004: erc8004 as Erc8004Options };
  return { findings, settings: { ...settings, endpoint: settings.endpoint, ...structuredClone(checked) }, onLayer };
}

/** The codes of the URL and the timeout have the numbers of those of `start`. */
function ofAssess({ code, severity, location, text }: Finding): Finding {
  const name = location.replace(/^start\.?/, '').replace(/^endpoint$/, 'url');
  const own = name === 'url' || name === 'timeout' ? code.replace('VAL', 'ASM') : 'ASM-007';
  return finding(own as Code, name === '' ? 'assess' : `assess.${name}`, text, { severity });
}

function problem(code: Code, name: string, text: string): Finding {
  return finding(code, `assess.${name}`, text);
}

function layersProblem(layers: unknown): Finding[] {
  const isList = Array.isArray(layers) && layers.length > 0;
  const unknown = isList ? layers.filter((name) => !layerNames.some((known) => known === name)) : [];
  if (isList && unknown.length === 0) return [];
  return [problem('ASM-007', 'layers', `Must be an array of names; the layers are ${nameList(layerNames)}`)];
}

function erc8004Problems(erc8004: unknown): Finding[] {
  if (!isPlainObject(erc8004)) return [problem('ASM-010', 'erc8004', 'Must be an object')];
  const [rpcNodes, agentId, chainId] = ['rpcNodes', 'agentId', 'chainId'].map((name) => field(erc8004, name));
  const isId = Number.isSafeInteger(agentId) && Number(agentId) >= 0;
  const isChain = /^(?:eip155:)?[1-9]\d{0,14}$/.test(String(chainId)) && ['number', 'string'].includes(typeof chainId);
  return [
    ...(rpcNodes === undefined ? [] : nodeProblems(rpcNodes)),
    ...(agentId === undefined || isId
      ? []
      : [problem('ASM-017', 'erc8004.agentId', 'Must be a whole number, from 0 on')]),
    ...(chainId === undefined || isChain
      ? []
      : [problem('ASM-018', 'erc8004.chainId', 'Must be the id of a chain, such as 8453 or `eip155:8453`')]),
  ];
}

function nodeProblems(rpcNodes: unknown): Finding[] {
  const place = 'erc8004.rpcNodes';
  if (!isPlainObject(rpcNodes)) return [problem('ASM-012', place, 'Must be an object of URLs by chain')];
  if (Object.keys(rpcNodes).length === 0) return [problem('ASM-013', place, 'Has no nodes')];
  return Object.entries(rpcNodes).flatMap(([alias, given]) => {
    if (alias.trim() === '') return [problem('ASM-014', place, 'An alias of a chain is blank')];
    const nodes = [given].flat();
    const isBlank = nodes.length === 0 || nodes.some((node) => typeof node === 'string' && node.trim() === '');
    if (isBlank) return [problem('ASM-015', `${place}.${alias}`, 'Has no URL')];
    return nodes.every(isNode) ? [] : [problem('ASM-016', `${place}.${alias}`, 'Must be an https: or http: URL')];
  });
}

function isNode(node: unknown): boolean {
  return typeof node === 'string' && /^https?:$/.test(URL.parse(node)?.protocol ?? '');
}
