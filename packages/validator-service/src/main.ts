import { createService } from './service.ts';
import { readSettings } from './settings.ts';

/** The command `schemakit-validator`. */
export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  const { url } = await createService(readSettings(env));
  console.log(JSON.stringify({ url }));
}
