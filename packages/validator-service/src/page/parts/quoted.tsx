import type { VNode } from 'preact';

/** English text of the validator, with code between backticks. Parts of it may come from a target: it is only ever text. */
export function Quoted({ text }: { text: string }): VNode {
  const parts = text.split('`');
  return (
    <span lang="en" dir="auto">
      {parts.map((part, index) =>
        index % 2 === 1 && index < parts.length - 1 ? <code key={index}>{part}</code> : part,
      )}
    </span>
  );
}

/** A link only if it is https: what a report names may be anything. */
export function SafeLink({ url }: { url: string }): VNode {
  if (!/^https:\/\//i.test(url)) return <span dir="auto">{url}</span>;
  return (
    <a href={url} rel="noreferrer noopener">
      {url.replace(/^https:\/\//i, '')}
    </a>
  );
}
