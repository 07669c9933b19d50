/**
 * A harmless schema that works with something private in many ways. Its answers hold nothing of it, and are always the same.
 */
export function neighbourText({ libraries }: { libraries: readonly string[] }): string {
  return `${main.replace('%LIBRARIES%', JSON.stringify(libraries))}${handlers}`;
}

const main = `
export const main = {
  namespace: 'neighbour', name: 'Neighbour', description: 'Works with what is private.', version: '3.0.0',
  root: 'https://neighbour.example.com', requiredServerParams: [], requiredLibraries: %LIBRARIES%, headers: {},
  sharedLists: [{ ref: 'places', version: '1.0.0' }],
  tools: { work: { method: 'GET', path: '/', description: 'Works.', parameters: [
    { position: { key: 'secret', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'string()', options: [] } },
    { position: { key: 'wait', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'number()', options: [] } },
  ] } },
};
`;

const handlers = `
export const handlers = ({ sharedLists: { places }, libraries: { crypto: nodeCrypto, zlib, moment } }) => {
  const seen = [];
  return { work: { executeRequest: async ({ payload: { userParams: { secret, wait } } }) => {
    seen.push(secret);
    const written = Buffer.alloc(secret.length);
    written.write(secret);
    const together = Buffer.concat([Buffer.from(secret), written, Buffer.from(secret.split('').map((c) => c.charCodeAt(0)))]);
    const packed = zlib.gunzipSync(zlib.gzipSync(secret));
    const [, found] = /^(.*)$/.exec(secret);
    const params = new URLSearchParams({ secret: found, other: '1' });
    const url = new URL('https://neighbour.example.com/?' + params);
    const { apply, call } = (text) => text;
    const applied = apply.call((text) => text.length, null, [secret]);
    const called = call.call((text) => text.length, null, secret);
    const key = await crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const signed = Buffer.from(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(secret)));
    const mac = nodeCrypto.createHmac('sha256', secret).update(secret).digest('hex');
    const copy = structuredClone({ secret, list: [secret], map: new Map([[secret, secret]]) });
    const problems = [() => Buffer.alloc(secret), () => new URL(secret), () => nodeCrypto.createHash(secret), () => null[secret]]
      .map((work) => { try { return work(); } catch (error) { return error; } });
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    return { response: {
      lengths: [together.length, packed.length, applied, called, copy.list[0].length, Object.keys(copy).length],
      same: [signed.toString('hex') === mac, url.searchParams.get('secret') === secret, new TextDecoder().decode(written) === secret,
        JSON.parse(JSON.stringify({ secret })).secret === secret, atob(btoa(secret)) === secret, copy.map.get(secret) === secret],
      problems: problems.map((problem) => [problem instanceof Error, problem instanceof TypeError, 'note' in problem]),
      numbers: [[3, 1, 2].toSorted().join(), [1, 2, 3].map((n) => n * 2).join(), Object.entries({ a: 1 }).flat().join(), String(new Map([[1, 2]]).size)],
      clean: [Object.keys({}).length, typeof {}.polluted, typeof left, [...'ab'].length, (1234.5).toFixed(2), Math.max(1, 2), new Date(0).toISOString()],
      state: [seen.every((each) => each === seen[0]), places, moment?.locale(), moment?.registry.length],
    } };
  } } };
};
`;
