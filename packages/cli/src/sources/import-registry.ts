import { importAddress } from './import-source.ts';
import { type AddressReading, readAddress, withoutLogin } from './source-address.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceOptions } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';

export interface ImportRegistryOptions extends SourceOptions {
  /** Address of the registry file. Files are read from beside it. */
  url: string;
  /** Name of the source, and of its folder. Default: the one that the registry has. */
  name?: string;
}

/**
 * Imports the schemas that a registry on the web lists into `<folder>/<name>`. A registry that was imported before is updated.
 * Never throws for bad input: what is wrong with the registry or one of its files is a finding.
 */
export function importRegistry({ url, name, ...options }: ImportRegistryOptions): Promise<SourceResult> {
  const { dryRun = false } = options;
  const reading = registryAddress(url);
  if (reading.ok) return importAddress(reading.address, { name, ...options });
  return Promise.resolve(sourceResult({ url: withoutLogin(url), dryRun, findings: [reading.finding] }));
}

/** Reads what a user named as a registry: an address on the web, whatever it ends in. */
export function registryAddress(url: string): AddressReading {
  const reading = readAddress(url);
  if (!reading.ok) return reading;
  const address = URL.parse(url.trim());
  if (address === null || !/^https?:$/.test(address.protocol) || reading.address.type === 'archive') {
    const hint = 'Folders, repositories and archives are imported with schemakit import.';
    return { ok: false, finding: sourceFinding('SRC001', 'a registry has an address on the web', { hint }) };
  }
  address.hash = '';
  return { ok: true, address: { type: 'registry', url: address.href } };
}
