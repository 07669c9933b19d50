/**
 * Measures several sides by turns (A B C A B C …), so that whatever else the machine does in the meantime meets all of them.
 * The answers at one index belong together: ratios are taken between them.
 *
 * @param sides - What to measure, by name. Each call is one measurement.
 * @param options.warmUps - Rounds that are made first and thrown away.
 */
export async function interleave<Name extends string, Measured>(
  sides: Record<Name, () => Promise<Measured>>,
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(sides) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Measured[]>;
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of names) {
      const value = await sides[name]();
      if (round >= 0) measured[name].push(value);
    }
  }
  return measured;
}
