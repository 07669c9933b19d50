import type { CodeAttack } from '../attack.ts';

/** Where the things lie that an attack is after. */
export interface Targets {
  /** A file with a canary in it. */
  file: string;
  /** A file that does not exist. */
  drop: string;
  /** Origin of a server that must not be reached. */
  listener: string;
}

/** The text of an attack's schema file. */
export function attackText(attack: CodeAttack, { file, drop, listener }: Targets): string {
  const { module = '%TOP%\nexport const main = %MAIN%;\nexport const handlers = %HANDLERS%;\n' } = attack;
  return module
    .replace('%TOP%', () => attack.top ?? '')
    .replace('%MAIN%', () => mainText(attack))
    .replace('%HANDLERS%', () => handlersText(attack))
    .replaceAll('%FILE%', file)
    .replaceAll('%DROP%', drop)
    .replaceAll('%LISTENER%', listener);
}

function mainText({ root = 'https://attacker.example.com', libraries = [], main = '' }: CodeAttack): string {
  return `{
  namespace: 'attacker', name: 'Attacker', description: 'Attacks.', version: '3.0.0', root: ${JSON.stringify(root)},
  requiredServerParams: [], requiredLibraries: ${JSON.stringify(libraries)}, headers: {},
  tools: { attack: { method: 'GET', path: '/', description: 'Attacks.', parameters: [] } },
  ${main}
}`;
}

function handlersText({ hook = `return 'nothing'` }: CodeAttack): string {
  return `({ libraries, sharedLists }) => ({ attack: { executeRequest: async (context) => ({
  response: await (async () => {
${hook}
  })(),
}) } })`;
}
