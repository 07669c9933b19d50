import type { VNode } from 'preact';

/** The arguments of a call, in a line. */
export function Arguments({ of }: { of: Readonly<Record<string, unknown>> | undefined }): VNode | null {
  const entries = Object.entries(of ?? {});
  if (entries.length === 0) return null;
  return (
    <ul class="arguments" aria-label="Arguments">
      {entries.map(([name, value]) => (
        <li key={name}>
          <span>{name}</span> {typeof value === 'string' ? value : JSON.stringify(value)}
        </li>
      ))}
    </ul>
  );
}
