import type { VNode } from 'preact';
import { Tree } from '../parts/tree.tsx';

/** An answer that fits a schema: its title first, then each field under its name. */
export function AnswerFields({ answer }: { answer: unknown }): VNode {
  const { title, ...fields } = Object(answer) as Record<string, unknown>;
  return (
    <article class="answer">
      {typeof title === 'string' && <h2>{title}</h2>}
      {Object.entries(fields).map(([name, value]) => (
        <section key={name}>
          <h3>{spaced(name)}</h3>
          <Field name={name} value={value} />
        </section>
      ))}
    </article>
  );
}

function Field({ name, value }: { name: string; value: unknown }): VNode {
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object')) {
    return (
      <ul>
        {value.map((item) => (
          <li key={item}>{String(item)}</li>
        ))}
      </ul>
    );
  }
  if (typeof value === 'object' && value !== null) return <Tree value={value} name={name} />;
  return <p>{String(value)}</p>;
}

/** `keyFindings` as words. */
function spaced(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
