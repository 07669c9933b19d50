import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';
import type { Letter } from './grade.ts';
import type { AssessmentFinding, LayerResult } from './layer-result.ts';

type Layers = Readonly<Record<LayerName, LayerResult>>;

/** Layers whose categories have names that others use, too, and what sets theirs apart. */
const PREFIXES: Readonly<Partial<Record<LayerName, string>>> = { a2a: 'A2a', apps: 'Ui' };

/** The categories of all detected layers in one list: `hasSkills` of the agent becomes `hasA2aSkills`, `supportsTheming` of the apps `uiSupportsTheming`. */
export function unifiedCategories(
  layers: Layers,
  { isReachable, isHealthy }: { isReachable: boolean; isHealthy: boolean },
): Record<string, boolean> {
  const all = layerNames.flatMap((name) => {
    const layer = layers[name];
    const categories = layer.detected ? layer.categories : {};
    return Object.entries(categories).map(([key, value]) => [unifiedName(key, PREFIXES[name]), value] as const);
  });
  return { ...Object.fromEntries(all), isReachable, overallHealthy: isHealthy };
}

function unifiedName(name: string, prefix: string | undefined): string {
  if (prefix === undefined) return name;
  if (name === 'hasAgentCard') return 'hasA2aCard';
  const [, verb = '', rest = name] = /^(has|is)(.+)$/.exec(name) ?? [];
  if (verb !== '') return `${verb}${prefix}${rest}`;
  return `${prefix.charAt(0).toLowerCase()}${prefix.slice(1)}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** What the layers saw, in short. Layers that were not detected are null. */
export function unifiedEntries(
  layers: Layers,
  { endpoint, findings, letter }: { endpoint: string | null; findings: readonly AssessmentFinding[]; letter: Letter },
): PlainObject {
  const count = (severity: string): number => findings.filter((found) => found.severity === severity).length;
  const of = (name: LayerName): PlainObject | null => {
    const layer = layers[name];
    return layer.detected ? layer.entries : null;
  };
  const erc8004 = of('erc8004');
  return {
    endpoint,
    timestamp: new Date().toISOString(),
    http: of('http'),
    mcp: mcpInShort(of('mcp')),
    a2a: of('a2a'),
    payment: of('payment'),
    oauth: of('oauth'),
    ui: of('apps'),
    html: of('html'),
    erc8004,
    reputation: field(erc8004, 'reputation') ?? null,
    assessment: {
      errorCount: count('ERROR'),
      warningCount: count('WARNING'),
      infoCount: count('INFO'),
      grade: letter,
    },
  };
}

/** Counts in place of lists, which `layers.mcp` has. */
function mcpInShort(entries: PlainObject | null): PlainObject | null {
  if (!isPlainObject(entries)) return null;
  const { tools, resources, resourceTemplates, prompts, probe: _, ...others } = entries;
  const count = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  return {
    ...others,
    toolCount: count(tools),
    resourceCount: count(resources),
    resourceTemplateCount: count(resourceTemplates),
    promptCount: count(prompts),
  };
}
