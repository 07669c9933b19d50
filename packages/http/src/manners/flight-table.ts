/** Something under way, as the table keeps it. */
export interface Entry<Value> {
  address: string;
  value: Value;
  next: Entry<Value> | undefined;
}

/** Finds what is under way by its address. */
export interface FlightTable<Value> {
  find(address: string, isIt: (value: Value) => boolean): Value | undefined;
  add(address: string, value: Value): Entry<Value>;
  remove(entry: Entry<Value>): void;
}

const size = 256;

/**
 * A table for what comes and goes with every request. A `Map` would do, but for the garbage collector: the tables that it leaves behind as it
 * grows hold on to one another and to what was in them, and that took a fifth of the time of a server under load.
 */
export function createFlightTable<Value>(): FlightTable<Value> {
  const chains: (Entry<Value> | undefined)[] = Array.from({ length: size }, () => undefined);

  return {
    find(address, isIt) {
      for (let entry = chains[chainOf(address)]; entry !== undefined; entry = entry.next) {
        if (entry.address === address && isIt(entry.value)) return entry.value;
      }
      return undefined;
    },
    add(address, value) {
      const chain = chainOf(address);
      const entry: Entry<Value> = { address, value, next: chains[chain] };
      chains[chain] = entry;
      return entry;
    },
    remove(entry) {
      const chain = chainOf(entry.address);
      let before: Entry<Value> | undefined;
      for (let other = chains[chain]; other !== undefined; other = other.next) {
        if (other === entry) {
          if (before === undefined) chains[chain] = entry.next;
          else before.next = entry.next;
          entry.next = undefined;
          return;
        }
        before = other;
      }
    },
  };
}

/** By its end, where addresses differ. */
function chainOf(address: string): number {
  let hash = address.length;
  for (let i = Math.max(0, address.length - 12); i < address.length; i += 1) {
    hash = (hash * 31 + address.charCodeAt(i)) | 0;
  }
  return hash & (size - 1);
}
