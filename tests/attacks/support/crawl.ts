/**
 * The statements of a hook that visits every object it can reach: from its globals, its argument and its libraries, from what it
 * can have made, and from errors that it can provoke. It answers with the paths on which `visit(object)` was true.
 */
export function crawlingHook(visit: string): string {
  return `
    const seen = new Set(), waiting = [], hits = [];
    const visit = (object) => { try { return (${visit})(object); } catch { return false; } };
    const add = (value, path) => {
      if (!['object', 'function'].includes(typeof value) || value === null || seen.has(value)) return;
      seen.add(value);
      waiting.push([value, path]);
    };
    const crawl = () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [object, path] = next;
        if (visit(object)) hits.push(path);
        add(Reflect.getPrototypeOf(object), path + '.[[Prototype]]');
        for (const key of Reflect.ownKeys(object)) {
          const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key) ?? {};
          const name = path + '.' + String(key);
          add(value, name);
          add(get, 'get ' + name);
          add(set, 'set ' + name);
          if (get) try { add(Reflect.apply(get, object, []), name); } catch (error) { add(error, 'error of ' + name); }
        }
      }
    };
    add(globalThis, 'globalThis');
    add(context, 'context');
    add(libraries, 'libraries');
    crawl();
    const { crypto: nodeCrypto, zlib, util, path: paths, querystring, url: urls } = libraries;
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    const samples = {
      generator: () => (function* () {})(), asyncGenerator: () => (async function* () {})(), arguments: () => (function () { return arguments; })(),
      array: () => [].values(), map: () => new Map().entries(), set: () => new Set().values(), string: () => ''[Symbol.iterator](), matches: () => 'a'.matchAll(/a/g),
      wrapped: () => Iterator.from({ next() {} }), helper: () => [].values().map((x) => x), fromAsync: () => Array.fromAsync([1]), resolvers: () => Promise.withResolvers(),
      search: () => new URLSearchParams('a=1').entries(), url: () => new URL('http://a'), segments: () => new Intl.Segmenter().segment('a'), segment: () => new Intl.Segmenter().segment('a')[Symbol.iterator](),
      number: () => new Intl.NumberFormat(), date: () => new Intl.DateTimeFormat(), locale: () => new Intl.Locale('de'), names: () => new Intl.DisplayNames('de', { type: 'region' }), compare: () => new Intl.Collator().compare,
      buffer: () => Buffer.from('x'), bytes: () => Buffer.from('x').entries(), encoder: () => new TextEncoder().encode('x'), decoder: () => new TextDecoder(),
      clone: () => structuredClone({ a: new Map(), d: new Date(), e: new Error('x') }), cloneError: () => structuredClone(() => 1),
      hash: () => nodeCrypto.createHash('sha256'), hashError: () => nodeCrypto.createHash('none'), hmacError: () => nodeCrypto.createHmac('sha256'), signError: () => nodeCrypto.sign('x', 'y', 'z'), cipherError: () => nodeCrypto.createCipheriv('aes-128-cbc', 'a', 'b'), randomError: () => nodeCrypto.randomBytes(-1),
      digestError: () => crypto.subtle.digest('SHA-256', 5), digestName: () => crypto.subtle.digest('none', new Uint8Array(1)), importError: () => crypto.subtle.importKey('raw', 1, 2, 3, 4), key: () => key, pair: () => crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']), jwk: () => crypto.subtle.exportKey('jwk', key), signMissing: () => crypto.subtle.sign(), valuesError: () => crypto.getRandomValues(5), valuesMany: () => crypto.getRandomValues(new Uint8Array(70000)),
      atobError: () => atob('*'), btoaError: () => btoa('\\u1234'), urlError: () => new URL('x'), searchError: () => new URLSearchParams([1]), searchSymbol: () => new URLSearchParams(Symbol()),
      fromError: () => Buffer.from(5), allocError: () => Buffer.alloc('x'), readError: () => Buffer.from('x').readInt8(9), writeError: () => Buffer.from('x').write(5), concatError: () => Buffer.concat(5), fillError: () => Buffer.from('x').fill('x', 'none'), compareError: () => Buffer.compare(1, 2), swapError: () => Buffer.from('xxx').swap32(), encodingError: () => Buffer.from('x').toString('none'), indexError: () => Buffer.from('x').indexOf({}), rangeError: () => Buffer.from('x').writeInt8(500), sizeError: () => Buffer.alloc(2 ** 53),
      decoderError: () => new TextDecoder('none'), fatalError: () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])), decodeError: () => new TextDecoder().decode(5), encodeError: () => new TextEncoder().encodeInto(1, 2), eventError: () => new Event(), timerError: () => setTimeout(1),
      gzip: () => zlib.gzipSync('x'), gunzipError: () => zlib.gunzipSync('x'), gzipError: () => zlib.gzipSync(5), levelError: () => zlib.gzipSync('x', { level: 99 }), brotliError: () => zlib.brotliDecompressSync('xxxx'),
      pathError: () => paths.join(5), query: () => querystring.parse('a=b'), queryError: () => querystring.unescape('%'), urlFormat: () => urls.format(5), inspect: () => util.inspect({ a: 1 }), format: () => util.format('%o', () => 1),
      fetchError: () => fetch('http://127.0.0.1:9/'), fetchAddress: () => fetch('x'), response: () => new Response('x'), jsonError: () => new Response('{').json(), blob: () => new Blob(['x']).arrayBuffer(), form: () => new FormData(), request: () => new Request('http://a/'), headers: () => new Headers({ a: 'b' }), controller: () => new AbortController(), aborted: () => AbortSignal.abort(), exception: () => new DOMException('x'),
      overflow: () => { const again = () => again(); again(); }, nothing: () => null.x, unknown: () => none, syntax: () => JSON.parse('{'), pattern: () => new RegExp('('), uri: () => decodeURI('%'), bigint: () => BigInt('x'), length: () => new Array(-1), repeat: () => 'x'.repeat(-1), long: () => 'x'.repeat(2 ** 30), symbol: () => Symbol() + '', revoked: () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy.x; }, any: () => Promise.any([]),
      evaluated: () => eval('('), made: () => Function('return this')(), template: () => ((parts) => parts)\`x\`, derived: () => class A extends Array {}, groups: () => Map.groupBy([1], (x) => x), resizable: () => new ArrayBuffer(8, { maxByteLength: 16 }).transfer(), indices: () => /(?<a>.)/d.exec('x').indices,
      lists: () => new Intl.ListFormat('de'), relative: () => new Intl.RelativeTimeFormat('de'), plural: () => new Intl.PluralRules('de'), parts: () => new Intl.NumberFormat('de').formatToParts(1), duration: () => new Intl.DurationFormat('de'), range: () => new Intl.DateTimeFormat('de').formatRange(0, 1e9), temporal: () => Temporal.Now.instant(), timeout: () => AbortSignal.timeout(1), anySignal: () => AbortSignal.any([]), file: () => new File(['x'], 'y').text(),
      deriveError: () => crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'x', salt: new Uint8Array(1), iterations: 1 }, key, 8), wrapError: () => crypto.subtle.wrapKey('x', key, key, {}), uuidError: () => crypto.randomUUID(5), hkdfError: () => nodeCrypto.hkdfSync('sha256', 'a', 'b', 'c', -1), scryptError: () => nodeCrypto.scryptSync('a', 'b', -1), timingError: () => nodeCrypto.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)), digestTwice: () => nodeCrypto.createHash('md5').update(5), signKey: () => nodeCrypto.createSign('x'), oneHash: () => nodeCrypto.hash('none', 'x'), bigError: () => Buffer.from('x').readBigInt64LE(0), bigRange: () => Buffer.alloc(8).writeBigInt64LE(2n ** 64n), symbolClone: () => structuredClone(Symbol()), latinError: () => Buffer.from('x', 'utf-7'), copyError: () => Buffer.from('x').copy(5), sliceError: () => Buffer.prototype.toString.call({}), urlBase: () => new URL('x', 'y'), canParse: () => URL.canParse(), searchThis: () => URLSearchParams.prototype.get.call({}), searchMissing: () => new URLSearchParams().get(), eachError: () => new URLSearchParams('a=1').forEach(5),
      suppressed: () => eval('{ using a = { [Symbol.dispose]() { throw 1; } }; throw 2; }'), imported: () => __schemakitImport('fs'),
    };
    for (const [name, make] of Object.entries(samples)) {
      try { const made = make(); add(made, name); crawl(); add(await made, name); } catch (error) { add(error, 'error of ' + name); }
      crawl();
    }
    return hits;`;
}
