import { assertLength, claimed, isClaimable, leased, newRun, requested, written } from './run-changes.ts';
import { createRunListeners } from './run-listeners.ts';
import type { RunStore, StoredRun } from './run-store.ts';

/** Runs in the memory of this process. */
export function createMemoryRunStore({ now = Date.now }: { now?: () => number } = {}): RunStore {
  const runs = new Map<string, StoredRun>();
  const journals = new Map<string, string[]>();
  const records = new Map<string, { text: string; expiresAt: number }>();
  const listeners = createRunListeners();

  const unexpired = <T extends { expiresAt: number }>(value: T | undefined) =>
    value !== undefined && value.expiresAt > now() ? value : undefined;
  const find = (id: string) => unexpired(runs.get(id));
  const inOrder = () => [...runs.values()].filter((run) => unexpired(run) !== undefined).sort(compareAge);
  const save = (run: StoredRun): StoredRun => {
    runs.set(run.id, run);
    return { ...run };
  };
  const change = (run: StoredRun): StoredRun => {
    listeners.tell(run.id);
    return save(run);
  };

  return {
    async create(run, entries) {
      if (find(run.id) !== undefined) throw new Error(`The run ${run.id} exists already`);
      journals.set(run.id, [...entries]);
      change(newRun(run));
    },
    async get(id) {
      const run = find(id);
      return run && { ...run };
    },
    async list({ owner, after, limit }) {
      const last = after === undefined ? undefined : find(after);
      if (after !== undefined && last === undefined) return [];
      return inOrder()
        .filter((run) => owner === undefined || run.owner === owner)
        .filter((run) => last === undefined || compareAge(run, last) > 0)
        .slice(0, limit)
        .map((run) => ({ ...run }));
    },
    async read(id, from = 0) {
      return find(id) === undefined ? [] : (journals.get(id) ?? []).slice(from);
    },
    async append(id, { fence, from, entries, phase = 'running' }) {
      const run = leased(find(id), id, fence);
      const journal = journals.get(id) ?? [];
      assertLength(journal.length, id, from);
      journal.push(...entries);
      return change(written(run, { phase, now: now() }));
    },
    async claim({ leaseMs, tools, id }) {
      const run = inOrder().find(
        (one) => (id === undefined || one.id === id) && tools.includes(one.tool) && isClaimable(one, now()),
      );
      return run && change(claimed(run, { leaseMs, now: now() }));
    },
    async renew(id, fence, leaseMs) {
      return save({ ...leased(find(id), id, fence), leaseEndsAt: now() + leaseMs });
    },
    async request(id, request) {
      const run = find(id);
      const next = run && requested(run, request, now());
      return next === undefined ? run && { ...run } : change(next);
    },
    watch: listeners.add,
    async putRecord(key, text, { expiresAt, ifAbsent = false }) {
      if (ifAbsent && unexpired(records.get(key)) !== undefined) return false;
      records.set(key, { text, expiresAt });
      return true;
    },
    async getRecord(key) {
      return unexpired(records.get(key))?.text;
    },
    async deleteRecord(key) {
      records.delete(key);
    },
    async expire() {
      for (const run of runs.values()) {
        if (unexpired(run) !== undefined) continue;
        runs.delete(run.id);
        journals.delete(run.id);
      }
      for (const [key, record] of records) if (unexpired(record) === undefined) records.delete(key);
    },
    async close() {},
  };
}

/** Oldest first; runs of one millisecond by their id. */
function compareAge(a: StoredRun, b: StoredRun): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}
