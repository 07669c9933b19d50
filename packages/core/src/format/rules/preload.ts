import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import { fieldsOf } from '../schema/fields.generated.ts';
import { reportUnknownFields } from './fields.ts';

/** Reads `preload: { enabled, ttl, description }`: the seconds for which an answer may be reused, undefined for none. */
export function readPreload(value: unknown, { path, report }: { path: string; report: Report }): number | undefined {
  if (value === undefined) return undefined;
  const place = `${path}.preload`;
  const say = (at: string, problem: string): void => {
    const hint = 'Write preload: { enabled: true, ttl: 3600 }, the ttl in seconds.';
    report(schemaFinding('VAL039', at, `${problem}; answers are not kept (${path})`, { hint }));
  };
  if (!isObject(value)) {
    say(place, 'preload must be an object');
    return undefined;
  }
  reportUnknownFields(value, fieldsOf.Preload, { path: place, report });
  const { enabled, ttl } = value;
  const isTtl = typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl > 0;
  if (typeof enabled !== 'boolean') say(`${place}.enabled`, 'preload.enabled must be true or false');
  if (!isTtl) say(`${place}.ttl`, 'preload.ttl must be a whole number of seconds above zero');
  return enabled === true && isTtl ? ttl : undefined;
}
