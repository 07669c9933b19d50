import { readFileSync } from 'node:fs';

/** Megabytes (10^6 bytes) of a running process that are in memory; NaN where the system does not tell it as Linux does. */
export function residentMemory(processId: number | undefined): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
    return (Number(kilobytes) * 1024) / 1e6;
  } catch {
    return Number.NaN;
  }
}
