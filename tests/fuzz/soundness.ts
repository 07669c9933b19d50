import type { Finding } from '@schemakit/core';
import { expect } from 'vitest';

interface Check {
  status: unknown;
  messages: unknown;
  findings: unknown;
}

/** Most processor time that a call may take, in milliseconds. What takes quadratic time takes longer. */
const maxTime = 2000;

/** Runs something and holds it to its time. */
export async function inTime<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const start = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000, `milliseconds for ${name}`).toBeLessThan(maxTime);
  return result;
}

/** What every result is: `status` says whether there is an error, and each finding can be shown. */
export function expectSound(name: string, { status, messages, findings }: Check): readonly Finding[] {
  expect(Array.isArray(findings), `${name}: findings`).toBe(true);
  const found = findings as readonly Finding[];
  for (const finding of found) {
    expect(finding, name).toMatchObject({
      code: expect.stringMatching(/^[A-Z][A-Z0-9_]{2,}$/),
      severity: expect.stringMatching(/^(error|warning|info)$/),
      path: expect.any(String),
      message: expect.stringMatching(/\S/),
    });
  }
  expect(messages, name).toEqual(found.map(({ message }) => message));
  expect(status, `${name}: status`).toBe(found.every(({ severity }) => severity !== 'error'));
  return found;
}

/** Each path that begins with `main` leads to something in it, or to what is missing in something that is there. */
export function expectPlaces(findings: readonly Finding[], main: unknown): void {
  for (const { code, path } of findings) {
    if (!/^main(?![\w$])/.test(path)) continue;
    const [, ...keys] = stepsOf(path);
    keys.pop();
    expect(leads(main, keys), `${code} points at ${path.slice(0, 200)}`).toBe(true);
  }
}

/** The keys in a path such as `main.tools["a b"].parameters[0]`. */
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  const piece = /\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;
  while (piece.lastIndex < path.length) {
    const at = piece.lastIndex;
    const match = piece.exec(path);
    if (match === null) throw new Error(`${path} is no path from character ${at} on`);
    steps.push(match[3] === undefined ? (match[1] ?? match[2] ?? '') : (JSON.parse(match[3]) as string));
  }
  return steps;
}

function leads(from: unknown, keys: readonly string[]): boolean {
  let value = from;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

/** What all objects inherit: equal before and after, or something was polluted. */
export function inherited(): readonly unknown[] {
  const shared = [
    Object.prototype,
    Array.prototype,
    Function.prototype,
    String.prototype,
    Map.prototype,
    Object,
    Array,
  ];
  return shared.flatMap((object) =>
    Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)?.value]),
  );
}
