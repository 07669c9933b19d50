// The lock file: pins of schemas and what they are granted (docs/trust.md).
export { checkLock, type LockCheck, missingFiles } from './lock/check-lock.ts';
export type { LockGrants } from './lock/grants.ts';
export { type Lock, type LockEntry, type LockFileResult, readLock } from './lock/lock-file.ts';
export { findLockFile, lockFileName } from './lock/lock-paths.ts';
export type { SchemaPin, SchemaSummary } from './lock/schema-pin.ts';
export { type RevokedTrust, revokeTrust, type TrustedSchema, trustSchemas } from './lock/trust.ts';
