import type { Code } from '../findings/codes.ts';
import { type Finding, finding, isClean } from '../findings/finding.ts';
import { isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { nameList, reasonOf } from '../findings/plain-text.ts';
import { agentProblems, type Erc8004Options } from './agent-options.ts';
import { type LayerName, layerNames } from './layer-names.ts';
import { checkAsStart, type StartOptions, type StartSettings } from './start-options.ts';

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
    const text = `Cannot read the options: ${reasonOf(error)}`;
    return { findings: [finding('ASM-007', 'assess', text)] };
  }
}

function checkOptions(options: PlainObject): Checked {
  const { url, timeout = DEFAULT_TIMEOUT, layers = layerNames, erc8004 = {}, onLayer, ...others } = options;
  const unfit = ['endpoint', 'stdio', 'onProgress'];
  const { findings: found, settings } = checkAsStart({ ...others, timeout }, { place: 'assess', url, unfit });
  const findings = [
    ...found,
    ...layersProblem(layers),
    ...(onLayer === undefined || typeof onLayer === 'function'
      ? []
      : [problem('ASM-007', 'onLayer', 'Must be a function')]),
    ...(isPlainObject(erc8004)
      ? agentProblems(erc8004, 'assess.erc8004')
      : [problem('ASM-010', 'erc8004', 'Must be an object')]),
  ];
  if (!isClean(findings) || settings?.endpoint == null) return { findings };
  const checked = { layers: layers as LayerName[], erc8004: erc8004 as Erc8004Options };
  return { findings, settings: { ...settings, endpoint: settings.endpoint, ...structuredClone(checked) }, onLayer };
}

function problem(code: Code, name: string, text: string): Finding {
  return finding(code, `assess.${name}`, text);
}

function layersProblem(layers: unknown): Finding[] {
  const isList = Array.isArray(layers) && layers.length > 0;
  const unknown = isList ? layers.filter((name) => !layerNames.some((known) => known === name)) : [];
  if (isList && unknown.length === 0) return [];
  const wrong = isList ? `Unknown: ${nameList(unknown.map(String), { max: 3 })}` : 'Must be an array of names';
  return [problem('ASM-007', 'layers', `${wrong}; the layers are ${nameList(layerNames)}`)];
}
