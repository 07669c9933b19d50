import { readdirSync, readFileSync } from 'node:fs';

/**
 * Milliseconds of processor time that a running process has used, all its threads together. Unlike elapsed time, it hardly
 * depends on what else the machine does. Undefined where the system does not tell it as Linux does.
 */
export function processorTime(processId: number | undefined): number | undefined {
  const threads = `/proc/${processId}/task`;
  try {
    const nanoseconds = readdirSync(threads).map((thread) => {
      const [running] = readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ');
      return Number(running);
    });
    return nanoseconds.reduce((sum, part) => sum + part, 0) / 1e6;
  } catch {
    return undefined; // Another system, or a process that has ended: the line is left out.
  }
}
