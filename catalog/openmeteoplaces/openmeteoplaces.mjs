// Open-Meteo geocoding: place names to coordinates, from GeoNames. Parameters and the answer are those of
// open-meteo.com/en/docs/geocoding-api. Free for non-commercial use.

export const main = {
  namespace: 'openmeteoplaces',
  name: 'Open-Meteo places',
  description: 'Find places of the world by name or postal code: coordinates, country, region, time zone, population.',
  version: '3.0.0',
  docs: ['https://open-meteo.com/en/docs/geocoding-api'],
  tags: ['geography', 'geocoding'],
  root: 'https://geocoding-api.open-meteo.com',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  sharedLists: [{ ref: 'countries', version: '1.0.0' }],

  tools: {
    searchPlaces: {
      method: 'GET',
      path: '/v1/search',
      description:
        'Find the coordinates of towns and other places by name or postal code, best match first. Use it before tools ' +
        'that take latitude and longitude. Two letters match exactly, three and more also similar names.',
      parameters: [
        {
          position: { key: 'name', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['min(2)', 'describe(A name alone or a postal code, such as Berlin; without a country or region)'],
          },
        },
        {
          position: { key: 'count', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)', 'describe(Most results)'] },
        },
        {
          position: { key: 'language', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^[a-z]{2}$)',
              'default(en)',
              'describe(Language of names in the answer, where there are any)',
            ],
          },
        },
        {
          position: { key: 'countryCode', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'enum({{countries:code}})',
            options: ['optional()', 'describe(Only places of this country, ISO 3166-1 alpha-2)'],
          },
        },
        {
          position: { key: 'format', value: 'json', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            results: {
              type: 'array',
              description: 'Left out when nothing matches; so is each field of a place that is empty',
              items: {
                type: 'object',
                properties: {
                  id: { type: 'integer' },
                  name: { type: 'string' },
                  latitude: { type: 'number' },
                  longitude: { type: 'number' },
                  elevation: { type: 'number', description: 'Metres above sea level' },
                  feature_code: { type: 'string', description: 'GeoNames code: PPLC is a capital, PPL a town' },
                  country_code: { type: 'string' },
                  country: { type: 'string' },
                  timezone: { type: 'string', description: 'IANA name' },
                  population: { type: 'integer' },
                  postcodes: { type: 'array', description: 'Texts' },
                  admin1: { type: 'string', description: 'The first level below the country, such as a state' },
                  admin2: { type: 'string' },
                  admin3: { type: 'string' },
                  admin4: { type: 'string' },
                },
              },
            },
            generationtime_ms: { type: 'number' },
          },
        },
      },
      tests: [
        { _description: 'A capital', name: 'Berlin', count: 1 },
        { _description: 'In one country and another language', name: 'München', language: 'de', countryCode: 'DE' },
        { _description: 'Nothing is called so', name: 'qqqqqqqq', count: 5 },
      ],
    },
  },
};
