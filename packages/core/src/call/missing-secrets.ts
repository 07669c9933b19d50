import type { Finding } from '../format/finding.ts';
import type { CallableTool } from './callable-tool.ts';
import type { SecretValues } from './plan-request.ts';

/** Findings for server parameters without which a tool cannot be called, or whose values cannot be sent. */
export function missingSecrets({ requiredServerParams, tool }: CallableTool, serverParams: SecretValues): Finding[] {
  if (requiredServerParams.length === 0) return [];
  const broken = requiredServerParams.filter((name) => /[\r\n\0]/.test(serverParams[name] ?? ''));
  const missing = requiredServerParams.filter((name) => (serverParams[name] ?? '') === '');
  return [
    ...broken.map((name) => brokenSecret(name, tool.name)),
    ...missing.map((name) => missingSecret(name, tool.name)),
  ];
}

function missingSecret(name: string, path: string): Finding {
  return {
    code: 'SECRET_MISSING',
    severity: 'error',
    path,
    message: `Required server parameter ${name} is not set`,
    hint: `Pass it in serverParams, or set ${name} in the environment of the server.`,
  };
}

/** A line break at the end of a key comes from careless copying; no header or URL can carry it. */
function brokenSecret(name: string, path: string): Finding {
  return {
    code: 'SECRET_INVALID',
    severity: 'error',
    path,
    message: `Server parameter ${name} has a line break in it`,
    hint: 'Remove the line break, which often stands at the end of a copied value.',
  };
}
