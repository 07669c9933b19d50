// Open-Meteo weather forecasts. Every tool asks the same endpoint, `/v1/forecast`, for other variables. Names, enums and
// bounds are those of openapi/forecast.yml in github.com/open-meteo/open-meteo. Free for non-commercial use, CC BY 4.0.

const latitude = {
  position: { key: 'latitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(-90)', 'max(90)', 'describe(Degrees north, WGS84)'] },
};

const longitude = {
  position: { key: 'longitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(-180)', 'max(180)', 'describe(Degrees east, WGS84)'] },
};

const temperatureUnit = {
  position: { key: 'temperature_unit', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'enum(celsius,fahrenheit)', options: ['default(celsius)'] },
};

const windSpeedUnit = {
  position: { key: 'wind_speed_unit', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'enum(kmh,ms,mph,kn)', options: ['default(kmh)'] },
};

const precipitationUnit = {
  position: { key: 'precipitation_unit', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'enum(mm,inch)', options: ['default(mm)'] },
};

const timezone = {
  position: { key: 'timezone', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: ['default(auto)', 'describe(IANA time zone of all times in the answer; auto is that of the place)'],
  },
};

const forecastDays = {
  position: { key: 'forecast_days', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(1)', 'max(16)', 'default(7)', 'describe(Days, today among them)'] },
};

// What every answer begins with.
const grid = {
  latitude: { type: 'number', description: 'Of the grid cell that was used, which may be a few kilometres away' },
  longitude: { type: 'number' },
  elevation: { type: 'number', description: 'Metres above sea level' },
  generationtime_ms: { type: 'number' },
  utc_offset_seconds: { type: 'integer' },
  timezone: { type: 'string' },
  timezone_abbreviation: { type: 'string' },
};

const unitNames = { type: 'object', description: 'The unit of each variable, such as °C' };
const numbers = { type: 'array', items: { type: 'number', nullable: true } };
const weatherCode =
  'WMO code: 0 clear, 1-3 some to full clouds, 45-48 fog, 51-57 drizzle, 61-67 rain, 71-77 snow, 80-86 showers, 95-99 thunderstorm';

export const main = {
  namespace: 'openmeteo',
  name: 'Open-Meteo weather',
  description: 'Weather for any coordinates of the world: now, by hour and by day, up to 16 days ahead.',
  version: '3.0.0',
  docs: ['https://open-meteo.com/en/docs', 'https://github.com/open-meteo/open-meteo/blob/main/openapi/forecast.yml'],
  tags: ['weather', 'forecast', 'geography'],
  root: 'https://api.open-meteo.com',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    getCurrentWeather: {
      method: 'GET',
      path: '/v1/forecast',
      description:
        'Get the weather at coordinates as it is now: temperature, felt temperature, humidity, precipitation, clouds, ' +
        'pressure and wind. Find coordinates of a place by its name first.',
      parameters: [
        latitude,
        longitude,
        {
          position: {
            key: 'current',
            value:
              'temperature_2m,relative_humidity_2m,apparent_temperature,is_day,precipitation,weather_code,cloud_cover,' +
              'pressure_msl,wind_speed_10m,wind_direction_10m,wind_gusts_10m',
            location: 'query',
          },
          z: { primitive: 'string()', options: [] },
        },
        temperatureUnit,
        windSpeedUnit,
        precipitationUnit,
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
                interval: { type: 'integer', description: 'Seconds that sums such as precipitation go back' },
                temperature_2m: { type: 'number', nullable: true },
                relative_humidity_2m: { type: 'number', nullable: true, description: '%' },
                apparent_temperature: { type: 'number', nullable: true },
                is_day: { type: 'integer', nullable: true, description: '1 by day, 0 at night' },
                precipitation: { type: 'number', nullable: true },
                weather_code: { type: 'integer', nullable: true, description: weatherCode },
                cloud_cover: { type: 'number', nullable: true, description: '%' },
                pressure_msl: { type: 'number', nullable: true, description: 'hPa at sea level' },
                wind_speed_10m: { type: 'number', nullable: true },
                wind_direction_10m: { type: 'number', nullable: true, description: 'Degrees; 0 is from the north' },
                wind_gusts_10m: { type: 'number', nullable: true },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'Berlin', latitude: 52.52, longitude: 13.41 },
        {
          _description: 'South and west, in the units of the United States',
          latitude: -33.45,
          longitude: -70.66,
          temperature_unit: 'fahrenheit',
          wind_speed_unit: 'mph',
          precipitation_unit: 'inch',
        },
        { _description: 'In another time zone', latitude: 0, longitude: 0, timezone: 'Asia/Tokyo' },
      ],
    },

    getDailyForecast: {
      method: 'GET',
      path: '/v1/forecast',
      description:
        'Forecast of each day at coordinates: highest and lowest temperature, precipitation and its probability, wind, ' +
        'UV index, sunrise and sunset. For plans of days; getHourlyForecast has the hours.',
      parameters: [
        latitude,
        longitude,
        {
          position: {
            key: 'daily',
            value:
              'weather_code,temperature_2m_max,temperature_2m_min,sunrise,sunset,uv_index_max,precipitation_sum,' +
              'precipitation_probability_max,wind_speed_10m_max,wind_gusts_10m_max,wind_direction_10m_dominant',
            location: 'query',
          },
          z: { primitive: 'string()', options: [] },
        },
        forecastDays,
        temperatureUnit,
        windSpeedUnit,
        precipitationUnit,
        timezone,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            ...grid,
            daily_units: unitNames,
            daily: {
              type: 'object',
              description: 'One list for each variable; the same position is the same day',
              properties: {
                time: { type: 'array', items: { type: 'string' }, description: 'YYYY-MM-DD' },
                weather_code: { ...numbers, description: `The worst of the day. ${weatherCode}` },
                temperature_2m_max: numbers,
                temperature_2m_min: numbers,
                sunrise: { type: 'array', items: { type: 'string' } },
                sunset: { type: 'array', items: { type: 'string' } },
                uv_index_max: numbers,
                precipitation_sum: numbers,
                precipitation_probability_max: { ...numbers, description: '%' },
                wind_speed_10m_max: numbers,
                wind_gusts_10m_max: numbers,
                wind_direction_10m_dominant: { ...numbers, description: 'Degrees; 0 is from the north' },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'A week in Berlin', latitude: 52.52, longitude: 13.41 },
        { _description: 'Only today', latitude: 35.69, longitude: 139.69, forecast_days: 1 },
        {
          _description: 'The farthest, with wind in knots',
          latitude: 60.39,
          longitude: 5.32,
          forecast_days: 16,
          wind_speed_unit: 'kn',
        },
      ],
    },

    getHourlyForecast: {
      method: 'GET',
      path: '/v1/forecast',
      description:
        'Forecast of chosen weather variables for each hour at coordinates, from midnight of the first day. Ask for few ' +
        'variables and days: the answer has 24 values a day for each.',
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
              'default(["temperature_2m","precipitation_probability","precipitation","weather_code","wind_speed_10m"])',
              'describe(Names such as temperature_2m, relative_humidity_2m, dew_point_2m, apparent_temperature, rain, showers, snowfall, snow_depth, pressure_msl, cloud_cover, visibility, wind_speed_10m, wind_direction_10m, wind_gusts_10m, uv_index, is_day, sunshine_duration, shortwave_radiation, soil_temperature_0cm)',
            ],
          },
        },
        {
          position: { key: 'forecast_days', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(1)', 'max(16)', 'default(2)', 'describe(Days, today among them)'],
          },
        },
        {
          position: { key: 'past_days', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(0)', 'max(92)', 'optional()', 'describe(Days before today as well)'],
          },
        },
        temperatureUnit,
        windSpeedUnit,
        precipitationUnit,
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
              description: 'time, and a list of numbers for each variable; the same position is the same hour',
              properties: { time: { type: 'array', items: { type: 'string' } } },
            },
          },
        },
      },
      tests: [
        { _description: 'Two days of the usual variables', latitude: 52.52, longitude: 13.41 },
        {
          _description: 'One variable today',
          latitude: 52.52,
          longitude: 13.41,
          hourly: ['temperature_2m'],
          forecast_days: 1,
        },
        {
          _description: 'Yesterday as well',
          latitude: -1.29,
          longitude: 36.82,
          hourly: ['rain', 'soil_temperature_0cm'],
          forecast_days: 1,
          past_days: 1,
          timezone: 'Africa/Nairobi',
        },
      ],
    },
  },
};
