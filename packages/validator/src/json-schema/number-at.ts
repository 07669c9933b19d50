import { field, type PlainObject } from '../findings/plain-object.ts';

/** The number that a keyword has, or what holds without one. What is no number says nothing. */
export function numberAt(schema: PlainObject, keyword: string, otherwise: number): number {
  const value = field(schema, keyword);
  return typeof value === 'number' ? value : otherwise;
}
