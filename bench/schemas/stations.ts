/** The key of the API where a schema asks for one. */
export const stationsKey = 'k3y-of-the-station-api';

/** About 1 KB of JSON: what `searchStations` answers. */
export const stationsAnswer: string = JSON.stringify({
  total: 5,
  stations: [
    station('berlin-ost', 'Berlin Ostbahnhof', [52.5103, 13.4348], 14),
    station('hamburg-altona', 'Hamburg-Altona', [53.5518, 9.9352], 12),
    station('koeln-deutz', 'Köln Messe/Deutz', [50.9408, 6.9747], null),
    station('leipzig-hbf', 'Leipzig Hauptbahnhof', [51.3455, 12.3821], 23),
    station('muenchen-pasing', 'München-Pasing', [48.1499, 11.4615], 9),
  ],
});

/** What `reportDelay` answers. */
export const delayAnswer: string = JSON.stringify({ id: 4711, station: 'leipzig-hbf', minutes: 12, accepted: true });

function station(id: string, name: string, [latitude, longitude]: [number, number], platforms: number | null): object {
  const services = ['regional', 'long-distance', 'suburban'];
  return {
    id,
    name,
    country: 'DE',
    latitude,
    longitude,
    platforms,
    open: true,
    services,
    checkedAt: '2026-03-14T06:25:00Z',
  };
}

/**
 * A schema of a small API, as text of a module: a search with three parameters, a POST with a body, and the search once more
 * with a handler. The hand-written rivals do the same.
 *
 * @param options.root - The upstream's origin.
 * @param options.withKey - Whether every request carries a secret in a header. Default false.
 */
export function stationsSchema({ root, withKey = false }: { root: string; withKey?: boolean }): string {
  return `export const main = ${JSON.stringify({ ...description, root, ...(withKey && key), tools }, undefined, 2)};

export const handlers = () => ({
  listStationNames: {
    postRequest: async ({ response }) => ({ response: { names: response.stations.map(({ name }) => name) } }),
  },
});
`;
}

const description = {
  namespace: 'stations',
  name: 'Railway stations',
  description: 'Railway stations and their delays.',
  version: '3.0.0',
  docs: ['https://stations.example.com/docs'],
  tags: ['transport'],
};

const key = { requiredServerParams: ['STATIONS_KEY'], headers: { Authorization: 'Bearer {{STATIONS_KEY}}' } };

const inputs = [
  input('q', 'query', 'string()', ['min(1)', 'max(80)', 'describe(Part of the name)']),
  input('sort', 'query', 'enum(name,platforms,distance)', ['default(name)']),
  input('limit', 'query', 'number()', ['min(1)', 'max(50)', 'default(10)']),
];

const stationShape = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    country: { type: 'string', description: 'ISO 3166-1 alpha-2' },
    latitude: { type: 'number' },
    longitude: { type: 'number' },
    platforms: { type: 'integer', nullable: true },
    open: { type: 'boolean' },
    services: { type: 'array', items: { type: 'string' } },
    checkedAt: { type: 'string', description: 'ISO 8601' },
  },
};

const tools = {
  searchStations: {
    method: 'GET',
    path: '/stations',
    description: 'Search railway stations by name.',
    parameters: inputs,
    output: output({ total: { type: 'integer' }, stations: { type: 'array', items: stationShape } }),
    tests: [
      { _description: 'By name', q: 'leipzig' },
      { _description: 'Largest first', q: 'haupt', sort: 'platforms' },
      { _description: 'One', q: 'ost', limit: 1 },
    ],
  },
  reportDelay: {
    method: 'POST',
    path: '/delays',
    description: 'Report that trains of a station are late.',
    parameters: [
      input('station', 'body', 'string()', ['min(1)']),
      input('minutes', 'body', 'number()', ['min(1)', 'max(600)']),
      input('reason', 'body', 'string()', ['max(200)', 'optional()']),
    ],
    output: output({
      id: { type: 'integer' },
      station: { type: 'string' },
      minutes: { type: 'integer' },
      accepted: { type: 'boolean' },
    }),
    tests: [
      { _description: 'Short', station: 'leipzig-hbf', minutes: 5 },
      { _description: 'With a reason', station: 'koeln-deutz', minutes: 40, reason: 'a tree' },
      { _description: 'Long', station: 'berlin-ost', minutes: 600 },
    ],
  },
  listStationNames: {
    method: 'GET',
    path: '/stations',
    description: 'List the names of railway stations.',
    parameters: inputs,
    output: output({ names: { type: 'array', items: { type: 'string' } } }),
    tests: [
      { _description: 'By name', q: 'leipzig' },
      { _description: 'Largest first', q: 'haupt', sort: 'platforms' },
      { _description: 'One', q: 'ost', limit: 1 },
    ],
  },
};

function input(key: string, location: string, primitive: string, options: readonly string[]): object {
  return { position: { key, value: '{{USER_PARAM}}', location }, z: { primitive, options } };
}

function output(properties: object): object {
  return { mimeType: 'application/json', schema: { type: 'object', properties } };
}
