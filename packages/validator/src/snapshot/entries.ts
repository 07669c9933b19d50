import type { Session } from '../connect/session.ts';
import { shownUrl } from '../findings/mask-secrets.ts';
import { field, type PlainObject, textOrNull } from '../findings/plain-object.ts';
import type { StartSettings } from '../input/start-options.ts';
import { capabilityFlags, experimentalNames } from '../list/capability-flags.ts';
import { type ListName, noLists, type ServerLists } from '../list/discover.ts';
import type { DiscoveredOAuth } from '../oauth/discover-oauth.ts';
import { noOAuth } from '../oauth/oauth-entry.ts';
import type { Outcome, ProbedTool } from '../probe/probe-tools.ts';
import type { Entries } from './snapshot.ts';
import { type X402Entry, x402Entry } from './x402-entry.ts';

export interface Seen {
  settings?: StartSettings | undefined;
  session?: Session | undefined;
  listed?: ServerLists | undefined;
  /** Whether each list is complete. */
  lists?: Partial<Record<ListName, boolean>> | undefined;
  probed?: readonly ProbedTool[] | undefined;
  x402?: X402Entry | undefined;
  oauth?: DiscoveredOAuth | undefined;
}

const REVISIONS: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);

export function entriesOf({
  settings,
  session,
  listed = noLists(),
  lists = {},
  probed = [],
  x402 = x402Entry([], []),
  oauth: discovered,
}: Seen): Entries {
  const capabilities = session?.capabilities ?? {};
  const flags = capabilityFlags(capabilities);
  const server = (name: string): string | null => textOrNull(field(session?.server, name));
  const oauth = discovered ?? noOAuth();
  const protocolVersion = session?.protocolVersion ?? null;
  const experimental = experimentalNames(capabilities);
  const { tools = false, resources = false, resourceTemplates = false, prompts = false } = lists;
  const isProbed = listed.tools.length === 0 || probed.length > 0;
  return {
    endpoint: endpointOf(settings),
    transport: session?.transport ?? null,
    serverName: server('name'),
    serverVersion: server('version'),
    serverDescription: server('description'),
    protocolVersion,
    supportedVersions: session?.supportedVersions ?? [],
    specVersion: protocolVersion === null || REVISIONS.has(protocolVersion) ? protocolVersion : 'unknown',
    capabilities,
    capabilityFlags: flags,
    experimentalCapabilities: experimental.length > 0 ? experimental : null,
    taskCapabilities: taskCapabilities(capabilities, flags),
    instructions: session?.instructions ?? null,
    tools: listed.tools,
    resources: listed.resources,
    resourceTemplates: listed.resourceTemplates,
    prompts: listed.prompts,
    probeMode: session === undefined ? null : (settings?.probe ?? null),
    probe: probed.map(({ name, outcome }) => ({ name, outcome })),
    x402,
    oauth: oauth.entry,
    oauthFlags: oauth.flags,
    complete: {
      server: session !== undefined,
      ...{ tools, resources, resourceTemplates, prompts },
      x402: tools && isProbed && probed.every(({ outcome }) => isGateSeen(outcome)),
      oauth: discovered?.isComplete ?? false,
    },
    latency: { connect: session?.connectMs ?? null, ...listed.latency },
    timestamp: new Date().toISOString(),
  };
}

function taskCapabilities(capabilities: PlainObject, flags: Entries['capabilityFlags']): Entries['taskCapabilities'] {
  const {
    supportsTaskList: list,
    supportsTaskCancel: cancel,
    supportsTaskAugmentedToolCall: augmentedToolCall,
  } = flags;
  const hasTasks = list || cancel || augmentedToolCall || field(capabilities, 'tasks') !== undefined;
  return hasTasks ? { list, cancel, augmentedToolCall } : null;
}

function endpointOf(settings: StartSettings | undefined): string | null {
  if (settings?.stdio) return [settings.stdio.command, ...(settings.stdio.args ?? [])].join(' ');
  return settings?.endpoint ? shownUrl(settings.endpoint) : null;
}

/** After these outcomes, it is unknown whether the tool requires payment. */
const UNSEEN: ReadonlySet<unknown> = new Set<Outcome>(['arguments-refused', 'failed', 'skipped', 'not-called']);

/** Whether an outcome shows if the tool requires payment. */
export function isGateSeen(outcome: unknown): boolean {
  return outcome !== undefined && !UNSEEN.has(outcome);
}
