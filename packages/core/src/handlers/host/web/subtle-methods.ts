/** The methods of `crypto.subtle` that handlers have (Web Cryptography API, SubtleCrypto). */
export const subtleMethods = [
  'encrypt',
  'decrypt',
  'sign',
  'verify',
  'digest',
  'generateKey',
  'deriveKey',
  'deriveBits',
  'importKey',
  'exportKey',
  'wrapKey',
  'unwrapKey',
] as const;
