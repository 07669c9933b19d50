import type { Section } from './sections.ts';

/** A tool that was looked at once and now says something else to the model that uses it. */
export interface RugPull {
  name: string;
  /** Paths of what changed. */
  fields: string[];
}

/** These reach the model, or decide what a person is asked before a call. */
const WATCHED = ['description', 'inputSchema', 'annotations', 'title'];

/** Tools whose promises changed after somebody may have approved them. */
export function rugPulls({ modified }: Section): RugPull[] {
  return modified.flatMap(({ name, changes }) => {
    const watched = changes.filter(({ field }) =>
      WATCHED.some((name) => field === name || field.startsWith(`${name}.`)),
    );
    return watched.length > 0 ? [{ name, fields: watched.map(({ field }) => field) }] : [];
  });
}
