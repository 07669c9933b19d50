// MET Norway Locationforecast 2.0, for the whole world and finest in the Nordic countries. Parameters are those of
// api.met.no/weatherapi/locationforecast/2.0/documentation, the answer that of api.met.no/doc/ForecastJSON. The terms of
// service ask for a User-Agent that says whom to contact, and for coordinates of at most four decimals, which the first
// handler sees to. Data under NLOD 2.0 and CC BY 4.0.

export const main = {
  namespace: 'metno',
  name: 'MET Norway forecast',
  description: 'Weather forecast of the Norwegian Meteorological Institute for any coordinates, nine days ahead.',
  version: '3.0.0',
  docs: [
    'https://api.met.no/weatherapi/locationforecast/2.0/documentation',
    'https://api.met.no/doc/ForecastJSON',
    'https://api.met.no/doc/TermsOfService',
  ],
  tags: ['weather', 'forecast'],
  root: 'https://api.met.no/weatherapi/locationforecast/2.0',
  requiredServerParams: ['SCHEMAKIT_CONTACT'],
  requiredLibraries: [],
  headers: { 'User-Agent': 'SchemaKit/0.1 ({{SCHEMAKIT_CONTACT}})' },

  tools: {
    getForecast: {
      method: 'GET',
      path: '/compact',
      description:
        'Forecast at coordinates: temperature, wind, clouds, humidity and pressure at points in time, precipitation and ' +
        'a weather symbol for the hours after each. Steps of an hour for the first days, then of six. Times are UTC.',
      parameters: [
        {
          position: { key: 'lat', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(-90)', 'max(90)', 'describe(Latitude in degrees)'] },
        },
        {
          position: { key: 'lon', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(-180)', 'max(180)', 'describe(Longitude in degrees)'] },
        },
        {
          position: { key: 'altitude', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: [
              'optional()',
              'describe(Whole metres above sea level, for a better temperature in the mountains)',
            ],
          },
        },
        // Goes nowhere by itself: the handler keeps this many steps of about ninety.
        {
          position: { key: 'steps', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'number()',
            options: ['min(1)', 'max(100)', 'default(24)', 'describe(Most steps to answer)'],
          },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            updatedAt: { type: 'string', description: 'When the forecast was made' },
            coordinates: { type: 'array', items: { type: 'number' }, description: 'Longitude, latitude, metres' },
            units: { type: 'object', description: 'The unit of each value, such as celsius or m/s' },
            steps: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  time: { type: 'string' },
                  air_temperature: { type: 'number' },
                  air_pressure_at_sea_level: { type: 'number' },
                  cloud_area_fraction: { type: 'number' },
                  relative_humidity: { type: 'number' },
                  wind_from_direction: { type: 'number', description: 'Degrees; 0 is from the north' },
                  wind_speed: { type: 'number' },
                  hours: { type: 'integer', description: 'How many hours after time the next two are for: 1 or 6' },
                  symbol_code: { type: 'string', description: 'Such as partlycloudy_day or lightrain' },
                  precipitation_amount: { type: 'number' },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'Oslo', lat: 59.93, lon: 10.72, altitude: 90 },
        { _description: 'Coordinates with too many decimals', lat: 60.123456, lon: 11.987654 },
        { _description: 'Only the first step', lat: -33.87, lon: 151.21, steps: 1 },
      ],
    },
  },
};

export const handlers = () => ({
  getForecast: {
    preRequest: ({ params }) => ({
      params: { ...params, lat: toFourDecimals(params.lat), lon: toFourDecimals(params.lon) },
    }),
    postRequest: ({ response, params }) => {
      const { meta, timeseries } = response.properties;
      return {
        response: {
          updatedAt: meta.updated_at,
          coordinates: response.geometry.coordinates,
          units: meta.units,
          steps: timeseries.slice(0, params.steps).map(readStep),
        },
      };
    },
  },
});

function toFourDecimals(degrees) {
  return Math.trunc(degrees * 10_000) / 10_000;
}

/** The last steps of a forecast have no period after them. */
function readStep({ time, data }) {
  const step = { time, ...data.instant.details };
  const next = data.next_1_hours ?? data.next_6_hours;
  if (next === undefined) return step;
  return { ...step, hours: data.next_1_hours ? 1 : 6, ...next.summary, ...next.details };
}
