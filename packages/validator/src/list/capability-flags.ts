import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import type { Offer } from './discover.ts';

/** The place of each flag in the capabilities. */
const PLACES = {
  supportsLogging: 'logging',
  supportsCompletions: 'completions',
  supportsResourceSubscription: 'resources.subscribe',
  supportsResourceListChanged: 'resources.listChanged',
  supportsPromptListChanged: 'prompts.listChanged',
  supportsToolListChanged: 'tools.listChanged',
  supportsTaskList: 'tasks.list',
  supportsTaskCancel: 'tasks.cancel',
  supportsTaskAugmentedToolCall: 'tasks.requests.tools.call',
  hasExperimentalCapabilities: 'experimental',
  supportsSampling: 'sampling',
  supportsElicitation: 'elicitation',
} as const;

/** What a server says it can do, beside the twelve categories. */
export type CapabilityFlags = Record<keyof typeof PLACES, boolean>;

/** Extensions by the names that they have had, oldest last. */
const TASKS = ['io.modelcontextprotocol/tasks'];
const APPS = ['io.modelcontextprotocol/ui', 'mcpApps'];

/** Reads the capabilities. An empty object announces a capability as well as `true` does. */
export function capabilityFlags(capabilities: PlainObject): CapabilityFlags {
  const announced = Object.entries(PLACES).map(([flag, place]) => [
    flag,
    isAnnounced(place.split('.').reduce<unknown>(field, capabilities)),
  ]);
  const flags = Object.fromEntries(announced) as CapabilityFlags;
  const hasTasks = hasExtension(capabilities, TASKS);
  flags.supportsTaskCancel ||= hasTasks;
  flags.supportsTaskAugmentedToolCall ||= hasTasks;
  flags.hasExperimentalCapabilities = experimentalNames(capabilities).length > 0;
  return flags;
}

/** True for tasks of 2025-11-25 and for those of the extension that followed. */
export function supportsTasks(capabilities: PlainObject): boolean {
  return isAnnounced(field(capabilities, 'tasks')) || hasExtension(capabilities, TASKS);
}

/** True if MCP Apps are announced, or used: servers need not announce them (SEP-1865). */
export function supportsMcpApps(capabilities: PlainObject, { tools, resources }: Offer): boolean {
  if (isAnnounced(field(capabilities, 'mcpApps')) || hasExtension(capabilities, APPS)) return true;
  return resources.some(({ uri }) => typeof uri === 'string' && uri.startsWith('ui://')) || tools.some(hasUi);
}

/** Names of experimental capabilities. */
export function experimentalNames(capabilities: PlainObject): string[] {
  const experimental = field(capabilities, 'experimental');
  return isPlainObject(experimental) ? Object.keys(experimental) : [];
}

function hasExtension(capabilities: PlainObject, names: readonly string[]): boolean {
  return ['extensions', 'experimental'].some((group) =>
    names.some((name) => isAnnounced(field(field(capabilities, group), name))),
  );
}

function hasUi(tool: PlainObject): boolean {
  const meta = field(tool, '_meta');
  return typeof (field(field(meta, 'ui'), 'resourceUri') ?? field(meta, 'ui/resourceUri')) === 'string';
}

function isAnnounced(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
