export interface Plant {
  id: string;
  name: string;
  latin: string;
  bed: string;
  heightCm: number;
  /** 1 to 12. */
  sowMonth: number;
  pickMonth: number;
}

export interface Bed {
  name: string;
  /** Null where the sensor is broken. */
  moisture: number | null;
  celsius: number | null;
}

export interface Harvest {
  id: number;
  plant: string;
  grams: number;
  note: string | null;
  /** ISO date. */
  pickedOn: string;
}

export type PlantOrder = 'name' | 'height' | 'sowing';

const orders: Readonly<Record<PlantOrder, (left: Plant, right: Plant) => number>> = {
  name: byName,
  height: (left, right) => right.heightCm - left.heightCm || byName(left, right),
  sowing: (left, right) => left.sowMonth - right.sowMonth || byName(left, right),
};

export const PLANT_ORDERS: readonly string[] = Object.keys(orders);

export function isPlantOrder(text: string): text is PlantOrder {
  return Object.hasOwn(orders, text);
}

/** What grows in the garden and what was picked there. Lives in memory. */
export interface Garden {
  /** Plants whose name or Latin name contains `text`, at most `limit` of them, and how many there are in all. */
  searchPlants(search: { text: string; order: PlantOrder; limit: number }): { total: number; plants: Plant[] };
  findPlant(id: string): Plant | undefined;
  findBed(name: string): Bed | undefined;
  /** Newest first. */
  listHarvests(bed: string): Harvest[];
  addHarvest(harvest: { plant: string; grams: number; note: string | null }): Harvest;
  /** What is to be sown and picked in a month, 1 to 12. */
  listTasks(month: number): { kind: string; id: string; name: string }[];
}

/** Plants a fresh garden: four beds, twelve plants and a few harvests. */
export function openGarden(): Garden {
  const harvests = [...firstHarvests];
  const findPlant = (id: string) => plants.find((plant) => plant.id === id);
  const tasks = (kind: string, due: readonly Plant[]) =>
    due.toSorted(byName).map(({ id, name }) => ({ kind, id, name }));
  return {
    searchPlants({ text, order, limit }) {
      const wanted = text.toLowerCase();
      const found = plants.filter(({ name, latin }) => `${name}\n${latin}`.toLowerCase().includes(wanted));
      return { total: found.length, plants: found.sort(orders[order]).slice(0, limit) };
    },
    findPlant,
    findBed: (name) => beds.find((bed) => bed.name === name),
    listHarvests: (bed) => harvests.filter(({ plant }) => findPlant(plant)?.bed === bed).reverse(),
    addHarvest(harvest) {
      const added = { id: harvests.length + 1, ...harvest, pickedOn: new Date().toISOString().slice(0, 10) };
      harvests.push(added);
      return added;
    },
    listTasks: (month) => [
      ...tasks(
        'sow',
        plants.filter(({ sowMonth }) => sowMonth === month),
      ),
      ...tasks(
        'pick',
        plants.filter(({ pickMonth }) => pickMonth === month),
      ),
    ],
  };
}

function byName(left: Plant, right: Plant): number {
  return left.name < right.name ? -1 : 1;
}

const beds: readonly Bed[] = [
  { name: 'north', moisture: 0.41, celsius: 11.5 },
  { name: 'south', moisture: 0.28, celsius: 16 },
  { name: 'herbs', moisture: 0.19, celsius: 18.5 },
  { name: 'greenhouse', moisture: null, celsius: null },
];

const plants: readonly Plant[] = (
  [
    ['basil', 'Basil', 'Ocimum basilicum', 'herbs', 45, 4, 7],
    ['broad-bean', 'Broad bean', 'Vicia faba', 'north', 120, 3, 6],
    ['chard', 'Rainbow chard', 'Beta vulgaris', 'north', 60, 4, 7],
    ['chives', 'Chives', 'Allium schoenoprasum', 'herbs', 30, 3, 5],
    ['courgette', 'Courgette', 'Cucurbita pepo', 'south', 70, 5, 8],
    ['garlic', 'Garlic', 'Allium sativum', 'north', 50, 10, 7],
    ['kale', 'Kale "Black Magic"', 'Brassica oleracea', 'north', 75, 5, 11],
    ['leek', 'Leek', 'Allium porrum', 'north', 65, 3, 10],
    ['nasturtium', 'Nasturtium', 'Tropaeolum majus', 'south', 35, 4, 7],
    ['sunflower', 'Sunflower', 'Helianthus annuus', 'south', 220, 4, 9],
    ['thyme', 'Lemon thyme', 'Thymus citriodorus', 'herbs', 25, 4, 6],
    ['tomato', 'Tomato "Salt & Pepper"', 'Solanum lycopersicum', 'greenhouse', 180, 3, 8],
  ] as const
).map(([id, name, latin, bed, heightCm, sowMonth, pickMonth]) => ({
  ...{ id, name, latin, bed, heightCm, sowMonth, pickMonth },
}));

const firstHarvests: readonly Harvest[] = [
  { id: 1, plant: 'chives', grams: 40, note: null, pickedOn: '2026-05-09' },
  { id: 2, plant: 'broad-bean', grams: 900, note: 'first of the year', pickedOn: '2026-06-14' },
  { id: 3, plant: 'tomato', grams: 1450, note: null, pickedOn: '2026-08-02' },
  { id: 4, plant: 'courgette', grams: 2100, note: 'too many', pickedOn: '2026-08-11' },
  { id: 5, plant: 'leek', grams: 650, note: null, pickedOn: '2026-10-03' },
];
