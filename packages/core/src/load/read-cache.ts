import { createHash } from 'node:crypto';
import { type ModuleReading, readModule } from './read-module.ts';

const maxReadings = 5000;
const readings = new Map<string, ModuleReading>();

/**
 * Reads a module, or gives what was read from the same bytes before. Keyed by content, so a changed file is read anew.
 * Findings of a cached reading name the file they were first seen in; callers set their own.
 */
export function readCached(bytes: Uint8Array, file: string): ModuleReading {
  const key = createHash('sha256').update(bytes).digest('base64');
  const known = readings.get(key);
  if (known) return known;
  const reading = readModule(bytes, { file });
  if (readings.size >= maxReadings) {
    const [oldest] = readings.keys();
    if (oldest !== undefined) readings.delete(oldest);
  }
  readings.set(key, reading);
  return reading;
}
