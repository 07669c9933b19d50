import { setTimeout } from 'node:timers/promises';
import { type Garden, isPlantOrder, PLANT_ORDERS } from './garden.ts';

/** What an endpoint is told about a request. */
interface Asked {
  garden: Garden;
  /** Values of the path's `:names`. */
  path: Record<string, string>;
  query: URLSearchParams;
  /** The parsed JSON body; undefined when there was none. */
  body: unknown;
  /** Whether the request carried the API key. */
  hasKey: boolean;
  /** Aborted when the caller hangs up. */
  signal: AbortSignal;
}

/** What an endpoint answers: `json` or `xml`, with a status (default 200). */
export type Answer = { status?: number; headers?: Record<string, string> } & ({ json: unknown } | { xml: string });

export interface Endpoint {
  method: 'GET' | 'POST';
  path: string;
  about: string;
  answer(asked: Asked): Answer | Promise<Answer>;
}

const MAX_DELAY_MS = 10_000;

/** An error answer: every one of them has the same shape, `{ error: { code, message } }`. */
export function problem(status: number, code: string, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, json: { error: { code, message } } };
}

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
    answer: ({ garden, query }) => {
      const order = query.get('sort') ?? 'name';
      const limit = Number(query.get('limit') ?? 10);
      if (!isPlantOrder(order)) return problem(400, 'bad_sort', `sort is one of ${PLANT_ORDERS.join(', ')}`);
      if (!isWholeNumber(limit, 1, 50)) return problem(400, 'bad_limit', 'limit is a whole number from 1 to 50');
      return { json: garden.searchPlants({ text: query.get('q') ?? '', order, limit }) };
    },
  },
  {
    method: 'GET',
    path: '/plants/:id',
    about: 'One plant.',
    answer: ({ garden, path: { id = '' } }) => {
      const plant = garden.findPlant(id);
      return plant ? { json: plant } : problem(404, 'no_such_plant', `nothing called ${id} grows here`);
    },
  },
  {
    method: 'GET',
    path: '/beds/:bed/harvests',
    about: 'What was picked in a bed, newest first: ?unit=g|kg',
    answer: ({ garden, path: { bed = '' }, query }) => {
      const unit = query.get('unit') ?? 'g';
      if (unit !== 'g' && unit !== 'kg') return problem(400, 'bad_unit', 'unit is g or kg');
      if (!garden.findBed(bed)) return problem(404, 'no_such_bed', `there is no bed called ${bed}`);
      const harvests = garden.listHarvests(bed).map(({ grams, ...harvest }) => ({
        ...harvest,
        amount: grams / (unit === 'kg' ? 1000 : 1),
      }));
      return { json: { bed, unit, harvests } };
    },
  },
  {
    method: 'POST',
    path: '/harvests',
    about: 'Write down a harvest: { plant, grams, note? }. Needs the API key.',
    answer: ({ garden, body, hasKey }) => {
      if (!hasKey) {
        const challenge = { 'www-authenticate': 'Bearer realm="garden"' };
        return problem(401, 'key_needed', 'send the API key as `Authorization: Bearer <key>`', challenge);
      }
      const { plant, grams, note = null } = (body ?? {}) as Record<string, unknown>;
      if (typeof plant !== 'string' || !garden.findPlant(plant)) {
        return problem(422, 'no_such_plant', 'plant is the id of a plant in this garden');
      }
      if (!isWholeNumber(grams, 1, 100_000)) {
        return problem(422, 'bad_grams', 'grams is a whole number from 1 to 100000');
      }
      if (note !== null && typeof note !== 'string') return problem(422, 'bad_note', 'note is a text');
      return { status: 201, json: garden.addHarvest({ plant, grams, note }) };
    },
  },
  {
    method: 'GET',
    path: '/beds/:bed/soil',
    about: `Read the soil sensor: ?delay=milliseconds makes it slow (at most ${MAX_DELAY_MS}). The greenhouse's is broken.`,
    answer: async ({ garden, path: { bed = '' }, query, signal }) => {
      const delay = Number(query.get('delay') ?? 0);
      if (!(delay >= 0)) return problem(400, 'bad_delay', 'delay is a number of milliseconds');
      await setTimeout(Math.min(delay, MAX_DELAY_MS), undefined, { signal });
      const soil = garden.findBed(bed);
      if (!soil) return problem(404, 'no_such_bed', `there is no bed called ${bed}`);
      if (soil.moisture === null) return problem(503, 'sensor_offline', `the sensor in the ${bed} does not answer`);
      return { json: { bed, moisture: soil.moisture, celsius: soil.celsius } };
    },
  },
  {
    method: 'GET',
    path: '/calendar.xml',
    about: 'What to sow and pick: ?month=1..12, as XML.',
    answer: ({ garden, query }) => {
      const month = Number(query.get('month'));
      if (!isWholeNumber(month, 1, 12)) return problem(400, 'bad_month', 'month is a whole number from 1 to 12');
      return { xml: calendarXml(month, garden.listTasks(month)) };
    },
  },
];

function isWholeNumber(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function calendarXml(month: number, tasks: ReturnType<Garden['listTasks']>): string {
  const lines = tasks.map(({ kind, id, name }) => `  <task kind="${kind}" plant="${id}">${escapeXml(name)}</task>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<calendar month="${month}">\n${lines.join('')}</calendar>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
