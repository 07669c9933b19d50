import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { counted, reasonOf } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { openAgents, type WorkFlags } from './open-agents.ts';

export interface WorkAgentsFlags extends WorkFlags {
  tasks: string;
  grace?: number;
  metricsPort?: number;
  metricsHost?: string;
}

/** `schemakit agent worker`: works on the runs that servers have queued. */
export async function workAgents(flags: WorkAgentsFlags, ...files: string[]): Promise<CommandResult> {
  const { grace, metricsPort, metricsHost } = flags;
  if (metricsHost !== undefined && metricsPort === undefined)
    return usageError('--metrics-host needs --metrics-port.', 'Choose a port: --metrics-port 9464');
  const opened = await openAgents(files, flags, { works: true });
  if (!opened.ok) return opened.result;
  const { agents } = opened;
  let end: (() => Promise<void>) | undefined;
  try {
    const mcp = await opened.create({ ...(grace !== undefined && { graceMs: grace }) });
    end = () => mcp.close();
    // First, so that a worker whose port is taken takes no runs.
    const metrics = metricsPort === undefined ? undefined : await serveMetrics(mcp, metricsPort, metricsHost);
    await mcp.work();
    closeOnSignals(end);
    return {
      document: { status: true, agents: agents.length, ...(metrics !== undefined && { metrics }) },
      isOneLine: true,
      text: () => `Working on the runs of ${counted(agents.length, 'agent')}. Stop with Ctrl-C.`,
    };
  } catch (error) {
    await end?.();
    return opened.failureOf(error) ?? failed('other', { error: reasonOf(error) });
  }
}

/** Resolves to the URL of the metrics. */
async function serveMetrics(mcp: { metrics(): Promise<string> }, port: number, host = '127.0.0.1'): Promise<string> {
  const server = createServer(async ({ url }, response) => {
    if (url !== '/metrics') return response.writeHead(404).end();
    const text = await mcp.metrics();
    response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  // The worker keeps the process; without it, the metrics do not.
  await once(server.listen(port, host).unref(), 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}/metrics`;
}
