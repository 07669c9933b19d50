type Scrub = (text: string) => string;
type Container = Record<string, unknown> | unknown[];

/**
 * Applies a scrubber to every string of a plain JSON value, keys included, and to numbers as they are written. Returns the value itself if nothing in it is
 * secret, else a copy. Both walks keep their own stack: a hostile answer may be nested deeper than calls can be.
 *
 * @example
 * scrubJson({ key: 's3cr3t/key', n: 1 }, createScrubber(['s3cr3t/key'])); // { key: '[REDACTED]', n: 1 }
 */
export function scrubJson(value: unknown, scrub: Scrub): unknown {
  return isClean(value, scrub) ? value : scrubbedCopy(value, scrub);
}

function isClean(root: unknown, scrub: Scrub): boolean {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (isContainer(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (scrub(key) !== key) return false;
        pending.push(item);
      }
    } else if (scrubLeaf(value, scrub) !== value) return false;
  }
  return true;
}

function scrubbedCopy(root: unknown, scrub: Scrub): unknown {
  const holder: unknown[] = [];
  const pending: { from: unknown; to: Container; key: string }[] = [{ from: root, to: holder, key: '0' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { from, to, key } = next;
    if (!isContainer(from)) {
      put(to, key, scrubLeaf(from, scrub));
      continue;
    }
    const copy: Container = Array.isArray(from) ? [] : {};
    put(to, key, copy);
    // Backwards, because the stack turns the order around again.
    for (const [name, item] of Object.entries(from).reverse()) pending.push({ from: item, to: copy, key: scrub(name) });
  }
  return holder[0];
}

/** Defined, not assigned: a key may be `__proto__`. */
function put(to: Container, key: string, value: unknown): void {
  Object.defineProperty(to, key, { value, enumerable: true, configurable: true, writable: true });
}

function scrubLeaf(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'number') return value;
  const text = String(value);
  const scrubbed = scrub(text);
  return scrubbed === text ? value : scrubbed;
}

function isContainer(value: unknown): value is Container {
  return value !== null && typeof value === 'object';
}
