import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import type { ServerLists } from './discover.ts';

/** The path of each flag in the capabilities. */
const PATHS = {
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

/** Capabilities of a server beyond the twelve categories. */
export type CapabilityFlags = Record<keyof typeof PATHS, boolean>;

/** Names of extensions, oldest last. */
const TASKS = ['io.modelcontextprotocol/tasks'];
const APPS = ['io.modelcontextprotocol/ui', 'mcpApps'];

/** Reads the capabilities. An empty object counts like `true`. */
export function capabilityFlags(capabilities: PlainObject): CapabilityFlags {
  const announced = Object.entries(PATHS).map(([flag, path]) => [
    flag,
    isAnnounced(path.split('.').reduce<unknown>(field, capabilities)),
  ]);
  const flags = Object.fromEntries(announced) as CapabilityFlags;
  const hasTasks = hasExtension(capabilities, TASKS);
  flags.supportsTaskCancel ||= hasTasks;
  flags.supportsTaskAugmentedToolCall ||= hasTasks;
  flags.hasExperimentalCapabilities = experimentalNames(capabilities).length > 0;
  return flags;
}

/** Tasks of 2025-11-25, or of the later extension. */
export function supportsTasks(capabilities: PlainObject): boolean {
  return isAnnounced(field(capabilities, 'tasks')) || hasExtension(capabilities, TASKS);
}

/** Whether MCP Apps are advertised or used: servers need not advertise them (SEP-1865). */
export function supportsMcpApps(
  capabilities: PlainObject,
  { tools, resources }: Omit<ServerLists, 'toolPages'>,
): boolean {
  if (isAnnounced(field(capabilities, 'mcpApps')) || hasExtension(capabilities, APPS)) return true;
  return resources.some(({ uri }) => typeof uri === 'string' && uri.startsWith('ui://')) || tools.some(hasUi);
}

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
