import { because, type CodeEntry } from '../findings/code-table.ts';

export type CompareCode = `CMP-${'001' | '002' | '003'}`;

/** Found by `compare`. */
export const compareCodes: Readonly<Record<CompareCode, CodeEntry>> = because(
  'The differences may then come from the choice of the snapshots instead of the server.',
  'docs/validator.md#compare',
  {
    'CMP-001': ['WARNING', 'The snapshots have different endpoints.', 'Compare snapshots of one server.'],
    'CMP-002': ['WARNING', 'A snapshot has no timestamp.', 'Keep `entries.timestamp`.'],
    'CMP-003': ['WARNING', '`after` is older than `before`.', 'Swap the two.'],
  },
);
