import type { SecretValues } from '../call/plan-request.ts';
import { childPath, type Finding } from '../format/finding.ts';
import type { ExposedTool } from './exposed-tool.ts';

/** Enough to see which schemas are meant. */
const namedTools = 5;

/** A warning for each server parameter without a value, with the tools whose calls will fail. */
export function missingSecrets(
  tools: readonly Pick<ExposedTool, 'requiredServerParams' | 'listing'>[],
  serverParams: SecretValues,
): Finding[] {
  const byName = new Map<string, string[]>();
  for (const { requiredServerParams, listing } of tools)
    for (const name of requiredServerParams)
      if ((serverParams[name] ?? '') === '') byName.set(name, [...(byName.get(name) ?? []), listing.name]);
  return [...byName].map(([name, failing]) => ({
    code: 'SECRET_MISSING',
    severity: 'warning',
    path: childPath('serverParams', name),
    message: `Required server parameter ${name} is not set: calls of ${listed(failing)} will fail`,
    hint: `Pass it in serverParams, or set ${name} in the environment of the server.`,
  }));
}

function listed(names: readonly string[]): string {
  const others = names.length - namedTools;
  return [...names.slice(0, namedTools), ...(others > 0 ? [`${others} more`] : [])].join(', ');
}
