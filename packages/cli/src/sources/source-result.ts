import type { Finding } from '@schemakit/core';
import type { SourceChanges } from './plan-changes.ts';
import type { RequiredModule } from './required-modules.ts';

/** What became of a source. Paths are below its folder. */
export interface SourceResult extends SourceChanges {
  /** False if any finding is an error. Files that did not fail are in place all the same. */
  status: boolean;
  /** The findings as text. */
  messages: string[];
  findings: Finding[];
  /** Name of the source, and of its folder; null where it is not known. */
  name: string | null;
  url: string | null;
  /** A commit, or the version of a registry; null where there is none. */
  revision: string | null;
  /** Schemas of the source that load now. */
  schemaCount: number;
  /** Schemas that were noted in the lock file. */
  trusted: string[];
  /** Schemas that changed since they were trusted: they are refused until somebody trusts them again. */
  needsTrust: string[];
  /** npm packages that the schemas need. */
  requiredModules: RequiredModule[];
  /** Whether nothing was written. */
  dryRun: boolean;
}

/** Puts together a result; what is left out is empty. */
export function sourceResult({
  findings = [],
  ...fields
}: Partial<Omit<SourceResult, 'status' | 'messages'>>): SourceResult {
  return {
    status: findings.every(({ severity }) => severity !== 'error'),
    messages: findings.map(({ message }) => message),
    findings,
    name: null,
    url: null,
    revision: null,
    schemaCount: 0,
    added: [],
    changed: [],
    removed: [],
    edited: [],
    unchanged: [],
    failed: [],
    trusted: [],
    needsTrust: [],
    requiredModules: [],
    dryRun: false,
    ...fields,
  };
}
