// Open-Meteo air quality, from the Copernicus Atmosphere Monitoring Service. Names, enums and bounds are those of
// openapi/air-quality.yml in github.com/open-meteo/open-meteo. Free for non-commercial use, CC BY 4.0.

const latitude = {
  position: { key: 'latitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(-90)', 'max(90)', 'describe(Degrees north, WGS84)'] },
};

const longitude = {
  position: { key: 'longitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(-180)', 'max(180)', 'describe(Degrees east, WGS84)'] },
};

const timezone = {
  position: { key: 'timezone', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: ['default(auto)', 'describe(IANA time zone of all times in the answer; auto is that of the place)'],
  },
};

const domains = {
  position: { key: 'domains', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'enum(auto,cams_europe,cams_global)',
    options: ['default(auto)', 'describe(Which model: cams_europe is finer and only for Europe)'],
  },
};

const grid = {
  latitude: { type: 'number', description: 'Of the grid cell that was used' },
  longitude: { type: 'number' },
  elevation: { type: 'number', description: 'Metres above sea level' },
  generationtime_ms: { type: 'number' },
  utc_offset_seconds: { type: 'integer' },
  timezone: { type: 'string' },
  timezone_abbreviation: { type: 'string' },
};

const unitNames = { type: 'object', description: 'The unit of each variable, such as μg/m³' };
const value = { type: 'number', nullable: true };

export const main = {
  namespace: 'openmeteoair',
  name: 'Open-Meteo air quality',
  description:
    'Air quality at any coordinates: indices, particles, ozone, nitrogen dioxide and other pollutants, now and ahead.',
  version: '3.0.0',
  docs: [
    'https://open-meteo.com/en/docs/air-quality-api',
    'https://github.com/open-meteo/open-meteo/blob/main/openapi/air-quality.yml',
  ],
  tags: ['weather', 'airQuality', 'health'],
  root: 'https://air-quality-api.open-meteo.com',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    getCurrentAirQuality: {
      method: 'GET',
      path: '/v1/air-quality',
      description:
        'Get the quality of the air at coordinates as it is now: the European and the US index (low is good), and ' +
        'concentrations near the ground.',
      parameters: [
        latitude,
        longitude,
        {
          position: {
            key: 'current',
            value:
              'european_aqi,us_aqi,pm10,pm2_5,carbon_monoxide,nitrogen_dioxide,sulphur_dioxide,ozone,dust,uv_index',
            location: 'query',
          },
          z: { primitive: 'string()', options: [] },
        },
        domains,
        timezone,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            ...grid,
            current_units: unitNames,
            current: {
              type: 'object',
              properties: {
                time: { type: 'string', description: 'Local to timezone, without an offset' },
                interval: { type: 'integer', description: 'Seconds' },
                european_aqi: value,
                us_aqi: value,
                pm10: value,
                pm2_5: value,
                carbon_monoxide: value,
                nitrogen_dioxide: value,
                sulphur_dioxide: value,
                ozone: value,
                dust: value,
                uv_index: value,
              },
            },
          },
        },
      },
      tests: [
        { _description: 'Berlin', latitude: 52.52, longitude: 13.41 },
        { _description: 'From the European model', latitude: 45.46, longitude: 9.19, domains: 'cams_europe' },
        { _description: 'Times in UTC', latitude: 28.61, longitude: 77.21, timezone: 'GMT' },
      ],
    },

    getAirQualityForecast: {
      method: 'GET',
      path: '/v1/air-quality',
      description: 'Forecast of chosen pollutants, indices or pollen for each hour at coordinates, up to 7 days.',
      parameters: [
        latitude,
        longitude,
        {
          position: { key: 'hourly', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'array()',
            options: [
              'min(1)',
              'max(20)',
              'default(["european_aqi","pm10","pm2_5","nitrogen_dioxide","ozone"])',
              'describe(Names such as european_aqi, us_aqi, pm10, pm2_5, carbon_monoxide, nitrogen_dioxide, sulphur_dioxide, ozone, dust, uv_index, alder_pollen, birch_pollen, grass_pollen, mugwort_pollen, olive_pollen, ragweed_pollen)',
            ],
          },
        },
        {
          position: { key: 'forecast_days', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(7)', 'default(2)', 'describe(Days, today among them)'] },
        },
        domains,
        timezone,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            ...grid,
            hourly_units: unitNames,
            hourly: {
              type: 'object',
              description: 'time, and a list of numbers or null for each variable; the same position is the same hour',
              properties: { time: { type: 'array', items: { type: 'string' } } },
            },
          },
        },
      },
      tests: [
        { _description: 'The usual pollutants', latitude: 52.52, longitude: 13.41 },
        {
          _description: 'Pollen',
          latitude: 47.37,
          longitude: 8.54,
          hourly: ['birch_pollen', 'grass_pollen'],
          forecast_days: 1,
        },
        {
          _description: 'The US index for a week',
          latitude: 34.05,
          longitude: -118.24,
          hourly: ['us_aqi'],
          forecast_days: 7,
        },
      ],
    },
  },
};
