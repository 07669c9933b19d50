import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Finding } from '@schemakit/core';
import { configFinding } from '../manifest/config-codes.ts';
import { UnreadableError } from './run-store.ts';

/** Keys of AES-256 by their id. The first one encrypts; the others only decrypt what was encrypted with them before. */
export type StoreKeys = ReadonlyMap<string, KeyObject>;

const expected = 'expected <id>:<64 hexadecimal digits>, several with commas between them';
const hint = `Make a key with: node -p "'k1:' + crypto.randomBytes(32).toString('hex')"`;

/**
 * Parses the environment variable `TASKS_KEY`: `<id>:<64 hex digits>`, several with commas between them, the current one first.
 *
 * @param name What findings call it.
 */
export function parseStoreKeys(text: string, name = 'TASKS_KEY'): { keys: StoreKeys; findings: Finding[] } {
  const keys = new Map<string, KeyObject>();
  const findings: Finding[] = [];
  for (const [index, part] of text.split(',').entries()) {
    const [, id, hex] = /^([\w.-]{1,64}):([0-9a-f]{64})$/i.exec(part.trim()) ?? [];
    // No message quotes the text: it is, or contains, a secret.
    if (id === undefined || hex === undefined)
      findings.push(configFinding('AGS001', name, `${name}: key ${index + 1} is not one: ${expected}`, hint));
    else if (keys.has(id))
      findings.push(configFinding('AGS001', name, `${name}: two keys have the id ${id}`, 'Give each an id.'));
    else keys.set(id, createSecretKey(hex, 'hex'));
  }
  return { keys, findings };
}

/** The keys that are given, or those of the environment variable `TASKS_KEY`. */
export function readStoreKeys(taskKeys: string | undefined, name = 'taskKeys'): ReturnType<typeof parseStoreKeys> {
  const { TASKS_KEY } = process.env;
  if (taskKeys !== undefined) return parseStoreKeys(taskKeys, name);
  return TASKS_KEY ? parseStoreKeys(TASKS_KEY) : { keys: new Map(), findings: [] };
}

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text as `sealed:<key id>:<base64url of nonce, text and tag>`. Without keys it stays as it is.
 *
 * @param place Where the text is stored: it opens nowhere else.
 */
export function seal(text: string, place: string, keys: StoreKeys): string {
  const [current] = keys;
  // A text that only looks as if it was sealed.
  if (current === undefined) return /^(?:sealed|plain):/.test(text) ? `plain:${text}` : text;
  const [id, key] = current;
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([iv, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
  return `sealed:${id}:${sealed.toString('base64url')}`;
}

/**
 * The text that was sealed. One that was stored before there were keys is returned as it is.
 *
 * @throws {@link UnreadableError} if the key is missing or is another one, or if the text was changed or belongs elsewhere.
 */
export function unseal(stored: string, place: string, keys: StoreKeys): string {
  if (stored.startsWith('plain:')) return stored.slice('plain:'.length);
  const [, id, data] = /^sealed:([^:]*):(.*)$/s.exec(stored) ?? [];
  if (id === undefined || data === undefined) return stored;
  const key = keys.get(id);
  if (key === undefined)
    throw new UnreadableError(`Cannot read ${place}: it was encrypted with the key ${id}, which is not in TASKS_KEY`);
  const sealed = Buffer.from(data, 'base64url');
  try {
    const opening = createDecipheriv(cipher, key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(-tagBytes));
    return opening.update(sealed.subarray(ivBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
  } catch (error) {
    const problem = `it was changed, or the key ${id} in TASKS_KEY is not the one of then`;
    throw new UnreadableError(`Cannot read ${place}: ${problem}`, { cause: error });
  }
}
