import type { Outcome } from '../probe/probe-tools.ts';

/** Parts of a snapshot that a run may not have seen whole. */
export type Part = 'server' | 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'x402' | 'oauth';

/** Which parts were seen whole. What is missing from another part may be there all the same. */
export type Completeness = Record<Part, boolean>;

/** What of a list of one kind was seen. */
export type ListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** After these, nobody knows whether the tool asks for payment. */
const UNSEEN: ReadonlySet<unknown> = new Set<Outcome>(['arguments-refused', 'failed', 'skipped', 'not-called']);

/** True if a call got as far as a gate would have been. */
export function isGateSeen(outcome: unknown): boolean {
  return outcome !== undefined && !UNSEEN.has(outcome);
}

interface Steps {
  hasSession: boolean;
  lists: Partial<Record<ListName, boolean>>;
  tools: number;
  outcomes: readonly Outcome[];
  oauth: boolean;
}

/** Says which parts were seen whole, by how the steps ended. */
export function completenessOf({ hasSession, lists, tools, outcomes, oauth }: Steps): Completeness {
  const { tools: hasAllTools = false, resources = false, resourceTemplates = false, prompts = false } = lists;
  const x402 = hasAllTools && (tools === 0 || outcomes.length > 0) && outcomes.every(isGateSeen);
  return { server: hasSession, tools: hasAllTools, resources, resourceTemplates, prompts, x402, oauth };
}
