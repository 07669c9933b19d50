import { setTimeout } from 'node:timers/promises';

interface Plant {
  id: string;
  name: string;
  latin: string;
  bed: string;
  heightCm: number;
  /** 1 to 12. */
  sowMonth: number;
  pickMonth: number;
}

export interface Harvest {
  id: number;
  plant: string;
  grams: number;
  note: string | null;
  pickedOn: string;
}

/** What the soil sensors measure; null where the sensor is broken. */
const beds: readonly { name: string; moisture: number | null; celsius: number | null }[] = [
  { name: 'north', moisture: 0.41, celsius: 11.5 },
  { name: 'south', moisture: 0.28, celsius: 16 },
  { name: 'herbs', moisture: 0.19, celsius: 18.5 },
  { name: 'greenhouse', moisture: null, celsius: null },
];

/** In the order of their names. */
const plants: readonly Plant[] = (
  [
    ['basil', 'Basil', 'Ocimum basilicum', 'herbs', 45, 4, 7],
    ['broad-bean', 'Broad bean', 'Vicia faba', 'north', 120, 3, 6],
    ['chives', 'Chives', 'Allium schoenoprasum', 'herbs', 30, 3, 5],
    ['courgette', 'Courgette', 'Cucurbita pepo', 'south', 70, 5, 8],
    ['garlic', 'Garlic', 'Allium sativum', 'north', 50, 10, 7],
    ['kale', 'Kale "Black Magic"', 'Brassica oleracea', 'north', 75, 5, 11],
    ['leek', 'Leek', 'Allium porrum', 'north', 65, 3, 10],
    ['thyme', 'Lemon thyme', 'Thymus citriodorus', 'herbs', 25, 4, 6],
    ['nasturtium', 'Nasturtium', 'Tropaeolum majus', 'south', 35, 4, 7],
    ['chard', 'Rainbow chard', 'Beta vulgaris', 'north', 60, 4, 7],
    ['sunflower', 'Sunflower', 'Helianthus annuus', 'south', 220, 4, 9],
    ['tomato', 'Tomato "Salt & Pepper"', 'Solanum lycopersicum', 'greenhouse', 180, 3, 8],
  ] as const
).map(([id, name, latin, bed, heightCm, sowMonth, pickMonth]) => ({
  ...{ id, name, latin, bed, heightCm, sowMonth, pickMonth },
}));

export const firstHarvests: readonly Harvest[] = [
  { id: 1, plant: 'chives', grams: 40, note: null, pickedOn: '2026-05-09' },
  { id: 2, plant: 'broad-bean', grams: 900, note: 'first of the year', pickedOn: '2026-06-14' },
  { id: 3, plant: 'tomato', grams: 1450, note: null, pickedOn: '2026-08-02' },
  { id: 4, plant: 'courgette', grams: 2100, note: 'too many', pickedOn: '2026-08-11' },
  { id: 5, plant: 'leek', grams: 650, note: null, pickedOn: '2026-10-03' },
];

interface Asked {
  /** The last segment that the path template leaves open. */
  name: string;
  query: URLSearchParams;
  body: unknown;
  hasKey: boolean;
  harvests: Harvest[];
  signal: AbortSignal;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  xml?: string;
}

interface Endpoint {
  method: 'GET' | 'POST';
  path: string;
  about: string;
  answer(asked: Asked): Answer | Promise<Answer>;
}

const maxDelayMs = 10_000;

/** Every error answer has the shape `{ error: { code, message } }`. */
export function problem(status: number, code: string, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, json: { error: { code, message } } };
}

const orders = new Map<string, (left: Plant, right: Plant) => number>([
  ['name', () => 0],
  ['height', (left, right) => right.heightCm - left.heightCm],
  ['sowing', (left, right) => left.sowMonth - right.sowMonth],
]);

export const gardenEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/',
    about: 'This list.',
    answer: () => ({ json: { garden: gardenEndpoints.map(({ method, path, about }) => ({ method, path, about })) } }),
  },
  {
    method: 'GET',
    path: '/plants',
    about: 'Search plants: ?q=text&sort=name|height|sowing&limit=1..50',
    answer: ({ query }) => {
      const order = orders.get(query.get('sort') ?? 'name');
      const limit = Number(query.get('limit') ?? 10);
      if (!order) return problem(400, 'bad_sort', `sort is one of ${[...orders.keys()].join(', ')}`);
      if (!isWholeNumber(limit, 1, 50)) return problem(400, 'bad_limit', 'limit is a whole number from 1 to 50');
      const wanted = (query.get('q') ?? '').toLowerCase();
      const found = plants.filter(({ name, latin }) => `${name}\n${latin}`.toLowerCase().includes(wanted));
      return { json: { total: found.length, plants: found.sort(order).slice(0, limit) } };
    },
  },
  {
    method: 'GET',
    path: '/plants/:id',
    about: 'One plant.',
    answer: ({ name }) => {
      const plant = plants.find(({ id }) => id === name);
      return plant ? { json: plant } : problem(404, 'no_such_plant', `nothing called ${name} grows here`);
    },
  },
  {
    method: 'GET',
    path: '/beds/:bed/harvests',
    about: 'The harvests of a bed, newest first: ?unit=g|kg',
    answer: ({ name: bed, query, harvests }) => {
      const unit = query.get('unit') ?? 'g';
      if (unit !== 'g' && unit !== 'kg') return problem(400, 'bad_unit', 'unit is g or kg');
      if (!beds.some(({ name }) => name === bed)) return noSuchBed(bed);
      const growing = plants.filter((plant) => plant.bed === bed).map(({ id }) => id);
      const picked = harvests.filter(({ plant }) => growing.includes(plant)).reverse();
      const shown = picked.map(({ grams, ...rest }) => ({ ...rest, amount: grams / (unit === 'kg' ? 1000 : 1) }));
      return { json: { bed, unit, harvests: shown } };
    },
  },
  {
    method: 'POST',
    path: '/harvests',
    about: 'Record a harvest: { plant, grams, note? }. Needs the API key.',
    answer: ({ body, hasKey, harvests }) => {
      if (!hasKey) {
        const challenge = { 'www-authenticate': 'Bearer realm="garden"' };
        return problem(401, 'key_needed', 'send the API key as `Authorization: Bearer <key>`', challenge);
      }
      const { plant, grams, note = null } = (body ?? {}) as Record<string, unknown>;
      if (typeof plant !== 'string' || !plants.some(({ id }) => id === plant)) {
        return problem(422, 'no_such_plant', 'plant is the id of a plant in this garden');
      }
      if (!isWholeNumber(grams, 1, 100_000)) {
        return problem(422, 'bad_grams', 'grams is a whole number from 1 to 100000');
      }
      if (note !== null && typeof note !== 'string') return problem(422, 'bad_note', 'note is a text');
      const pickedOn = new Date().toISOString().slice(0, 10);
      const added = { id: harvests.length + 1, plant, grams, note, pickedOn };
      harvests.push(added);
      return { status: 201, json: added };
    },
  },
  {
    method: 'GET',
    path: '/beds/:bed/soil',
    about: `Read the soil sensor: ?delay=milliseconds makes it slow (at most ${maxDelayMs}). The greenhouse's is broken.`,
    answer: async ({ name: bed, query, signal }) => {
      const delay = Number(query.get('delay') ?? 0);
      if (!(delay >= 0)) return problem(400, 'bad_delay', 'delay is a number of milliseconds');
      await setTimeout(Math.min(delay, maxDelayMs), undefined, { signal });
      const soil = beds.find(({ name }) => name === bed);
      if (!soil) return noSuchBed(bed);
      if (soil.moisture === null) return problem(503, 'sensor_offline', `the sensor in the ${bed} does not answer`);
      return { json: { bed, moisture: soil.moisture, celsius: soil.celsius } };
    },
  },
  {
    method: 'GET',
    path: '/calendar.xml',
    about: 'What to sow and pick: ?month=1..12, as XML.',
    answer: ({ query }) => {
      const month = Number(query.get('month'));
      if (!isWholeNumber(month, 1, 12)) return problem(400, 'bad_month', 'month is a whole number from 1 to 12');
      const sown = plants.filter(({ sowMonth }) => sowMonth === month).map((plant) => taskXml('sow', plant));
      const picked = plants.filter(({ pickMonth }) => pickMonth === month).map((plant) => taskXml('pick', plant));
      const tasks = [...sown, ...picked].join('');
      return { xml: `<?xml version="1.0" encoding="UTF-8"?>\n<calendar month="${month}">\n${tasks}</calendar>\n` };
    },
  },
];

function noSuchBed(bed: string): Answer {
  return problem(404, 'no_such_bed', `there is no bed called ${bed}`);
}

function isWholeNumber(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function taskXml(kind: string, { id, name }: Plant): string {
  return `  <task kind="${kind}" plant="${id}">${name.replaceAll('&', '&amp;')}</task>\n`;
}
