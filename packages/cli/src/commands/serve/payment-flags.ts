import type { HttpOptions, ReloadableCatalog } from '@schemakit/server';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import type { ServingFlags } from './serving-flags.ts';
import { nameTools, unknownTool } from './start-serving.ts';

export interface PaymentFlags {
  price?: readonly string[];
  payTo?: string;
  network?: string;
  facilitator?: string;
  tasks?: string;
}

type Gate = NonNullable<HttpOptions['gate']>;
type OpenedGate = { ok: true; gate?: Gate } | { ok: false; result: CommandResult };

/** The payment gate that flags describe; none without them. */
export async function openPayments(
  { price = [], payTo, network, facilitator, tasks, discovery }: PaymentFlags & Pick<ServingFlags, 'discovery'>,
  catalog: ReloadableCatalog,
  { X402_FACILITATOR_HEADERS, TASKS_KEY: taskKeys }: Readonly<Record<string, string>>,
): Promise<OpenedGate> {
  const others = { '--pay-to': payTo, '--network': network, '--facilitator': facilitator, '--tasks': tasks };
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  if (price.length === 0 && given.length === 0) return { ok: true };
  if (price.length === 0 || payTo === undefined || network === undefined || facilitator === undefined)
    return refused('--price, --pay-to, --network and --facilitator need each other.', example);
  if (discovery === 'search')
    return refused('--price and --discovery search exclude each other.', 'List all tools, so that each has its price.');
  const prices = new Map<string, string>();
  const { known, nameOf } = await nameTools(catalog.current.tools);
  for (const text of price) {
    const [tool = '', amount] = text.split('=', 2);
    if (amount === undefined) return refused(`--price ${text} has no price.`, 'Write: --price <tool>=$0.01');
    const name = nameOf(tool);
    if (name === undefined) return unknownTool('--price', tool, known);
    if (prices.has(name)) return refused(`--price names ${tool} twice.`, 'Give each tool one price.');
    prices.set(name, amount);
  }
  const loaded = await loadPayments();
  if (!loaded.ok) return loaded;
  const { paymentGate } = loaded.payments;
  const headers = parseHeaders(X402_FACILITATOR_HEADERS);
  if (headers === undefined) return refused('X402_FACILITATOR_HEADERS is not a JSON object.', headersExample);
  const settings = { facilitator: { url: facilitator, headers }, payTo, network };
  try {
    // Checks the prices, which the gate asks for by any name of a tool.
    const checked = paymentGate({ ...settings, prices: Object.fromEntries(prices) });
    await checked.check().catch((error: Error) => {
      if (error.name === 'PriceError') throw Object.assign(error, { findings: [error] });
      process.stderr.write(`The prices could not be checked: ${error.message}.\n`);
    });
    const priceOf = (name: string) => prices.get(catalog.current.tools.byName.get(name)?.listing.name ?? name);
    const stored = { ...(tasks !== undefined && { tasks }), ...(taskKeys !== undefined && { taskKeys }) };
    const onError = ({ message }: Error) => process.stderr.write(`${message}\n`);
    return { ok: true, gate: paymentGate({ ...settings, ...stored, prices: priceOf, onError }) };
  } catch (error) {
    const { findings } = error as { findings?: readonly { message: string }[] };
    if (findings === undefined) throw error;
    return refused(findings.map(({ message }) => message).join('; '), example);
  }
}

async function loadPayments(): Promise<
  { ok: true; payments: typeof import('@schemakit/agent-server/payment') } | { ok: false; result: CommandResult }
> {
  try {
    return { ok: true, payments: await import('@schemakit/agent-server/payment') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const names = '@schemakit/agent-server @x402/core @x402/evm';
    const fix = `Run: npm install ${names} (with -g where schemakit is installed with it)`;
    return { ok: false, result: failed('notFound', { error: `Payments need the packages ${names}.`, fix }) };
  }
}

/** Undefined for what is no JSON object. The gate checks the values. */
function parseHeaders(text = '{}'): Record<string, string> | undefined {
  try {
    const headers: unknown = JSON.parse(text);
    return typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}

const headersExample = 'Such as: X402_FACILITATOR_HEADERS={"Authorization":"Bearer …"}';

const example =
  'Such as: --price tides_getTides=$0.01 --pay-to 0x… --network eip155:8453 --facilitator https://x402.org/facilitator';

function refused(error: string, fix: string): { ok: false; result: CommandResult } {
  return { ok: false, result: usageError(error, fix) };
}
