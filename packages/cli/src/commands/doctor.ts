import type { CommandResult } from '../output/command-result.ts';
import { readSettings } from '../settings/read-settings.ts';
import { checkMachine } from '../setup/check-machine.ts';
import { checkSettings } from '../setup/check-settings.ts';
import { checksText } from '../setup/checks-text.ts';

/** `schemakit doctor`: what `status` looks at, and whether this machine can run handlers. The network is not tried. */
export async function doctor(): Promise<CommandResult> {
  const checks = [...(await checkSettings(readSettings())), ...(await checkMachine())];
  const faults = checks.filter(({ ok }) => ok === false);
  const [first] = faults;
  const text = () => checksText(checks);
  if (first === undefined) return { document: { status: true, checks }, text };
  const error = `${faults.length} of ${checks.length} checks failed: ${faults.map(({ name }) => name).join(', ')}.`;
  const fix = first.fix === undefined ? {} : { fix: first.fix };
  return { document: { status: false, error, ...fix, checks }, text };
}
