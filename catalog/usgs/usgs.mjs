// The earthquake catalog of the United States Geological Survey (FDSN event service). Parameters with their bounds are those
// of earthquake.usgs.gov/fdsnws/event/1/, the answer is that of the GeoJSON summary format. Handlers make one flat record of
// each feature and dates of its milliseconds.

const startTime = {
  position: { key: 'starttime', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: [
      'optional()',
      'describe(Only from this time on: ISO 8601 in UTC, such as 2026-01-31; 30 days ago without it)',
    ],
  },
};

const endTime = {
  position: { key: 'endtime', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: ['optional()', 'describe(Only up to this time: ISO 8601 in UTC; now without it)'],
  },
};

const minMagnitude = {
  position: { key: 'minmagnitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['optional()', 'describe(Only this strong or stronger)'] },
};

const maxMagnitude = {
  position: { key: 'maxmagnitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['optional()', 'describe(Only this strong or weaker)'] },
};

const latitude = {
  position: { key: 'latitude', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'number()',
    options: [
      'min(-90)',
      'max(90)',
      'optional()',
      'describe(Centre of a circle; give longitude and maxradiuskm as well)',
    ],
  },
};

const longitude = {
  position: { key: 'longitude', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(-180)', 'max(180)', 'optional()', 'describe(Centre of a circle)'] },
};

const maxRadius = {
  position: { key: 'maxradiuskm', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'number()',
    options: ['min(0)', 'max(20001.6)', 'optional()', 'describe(Radius of the circle in km)'],
  },
};

const geoJson = {
  position: { key: 'format', value: 'geojson', location: 'query' },
  z: { primitive: 'string()', options: [] },
};

const earthquake = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'For getEarthquake' },
    magnitude: { type: 'number', nullable: true },
    magnitudeType: { type: 'string', nullable: true, description: 'Such as mww or ml' },
    place: { type: 'string', nullable: true },
    time: { type: 'string', description: 'UTC' },
    updated: { type: 'string', description: 'UTC' },
    longitude: { type: 'number' },
    latitude: { type: 'number' },
    depthKm: { type: 'number', nullable: true },
    alert: { type: 'string', nullable: true, description: 'Expected losses (PAGER): green, yellow, orange or red' },
    tsunami: { type: 'boolean', description: 'Whether there may be a message of a tsunami centre' },
    significance: { type: 'integer', nullable: true, description: '0 to 1000 and more' },
    felt: { type: 'integer', nullable: true, description: 'How many people reported that they felt it' },
    status: { type: 'string', nullable: true, description: 'automatic, reviewed or deleted' },
    type: { type: 'string', nullable: true, description: 'earthquake, quarry blast and so on' },
    url: { type: 'string', nullable: true },
  },
};

export const main = {
  namespace: 'usgs',
  name: 'USGS earthquakes',
  description: 'Earthquakes of the world, from the first records to minutes ago: search, count and details.',
  version: '3.0.0',
  docs: [
    'https://earthquake.usgs.gov/fdsnws/event/1/',
    'https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php',
  ],
  tags: ['science', 'geography', 'earthquakes'],
  root: 'https://earthquake.usgs.gov/fdsnws/event/1',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    searchEarthquakes: {
      method: 'GET',
      path: '/query',
      description:
        'List earthquakes by time, magnitude, depth and place (a circle around coordinates), newest first by default. ' +
        'Without limits of time it looks at the last 30 days.',
      parameters: [
        geoJson,
        startTime,
        endTime,
        minMagnitude,
        maxMagnitude,
        latitude,
        longitude,
        maxRadius,
        {
          position: { key: 'mindepth', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(-100)', 'max(1000)', 'optional()', 'describe(Kilometres)'] },
        },
        {
          position: { key: 'maxdepth', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(-100)', 'max(1000)', 'optional()', 'describe(Kilometres)'] },
        },
        {
          position: { key: 'alertlevel', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'enum(green,yellow,orange,red)',
            options: ['optional()', 'describe(Only with this level of expected losses)'],
          },
        },
        {
          position: { key: 'orderby', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(time,time-asc,magnitude,magnitude-asc)', options: ['default(time)'] },
        },
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(1000)', 'default(20)'] },
        },
        {
          position: { key: 'offset', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(1)', 'optional()', 'describe(The first result to answer, from 1)'],
          },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            count: { type: 'integer', description: 'How many are in this answer' },
            earthquakes: { type: 'array', items: earthquake },
          },
        },
      },
      tests: [
        { _description: 'One day', starttime: '2014-01-01', endtime: '2014-01-02' },
        {
          _description: 'The strongest near Tokyo in a year',
          starttime: '2011-01-01',
          endtime: '2011-12-31',
          minmagnitude: 6,
          latitude: 35.69,
          longitude: 139.69,
          maxradiuskm: 500,
          orderby: 'magnitude',
          limit: 5,
        },
        { _description: 'Nothing so strong', minmagnitude: 10, alertlevel: 'red' },
      ],
    },

    countEarthquakes: {
      method: 'GET',
      path: '/count',
      description: 'Count earthquakes by time, magnitude and place, without listing them.',
      parameters: [startTime, endTime, minMagnitude, maxMagnitude, latitude, longitude, maxRadius],
      output: { mimeType: 'application/json', schema: { type: 'object', properties: { count: { type: 'integer' } } } },
      tests: [
        { _description: 'One day', starttime: '2014-01-01', endtime: '2014-01-02' },
        { _description: 'Strong ones', starttime: '2000-01-01', endtime: '2010-01-01', minmagnitude: 8 },
        { _description: 'None', minmagnitude: 10 },
      ],
    },

    getEarthquake: {
      method: 'GET',
      path: '/query',
      description: 'Get one earthquake by the id that searchEarthquakes answers.',
      parameters: [
        geoJson,
        {
          position: { key: 'eventid', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['regex(^[A-Za-z0-9_-]+$)', 'describe(Such as official20110311054624120_30)'],
          },
        },
      ],
      output: { mimeType: 'application/json', schema: earthquake },
      tests: [
        { _description: 'Tohoku 2011', eventid: 'official20110311054624120_30' },
        { _description: 'Turkey 2023', eventid: 'us6000jllz' },
        { _description: 'Samos 2020', eventid: 'us7000c7y0' },
      ],
    },
  },
};

export const handlers = () => ({
  searchEarthquakes: {
    postRequest: ({ response }) => {
      const earthquakes = (response?.features ?? []).map(readEarthquake);
      return { response: { count: earthquakes.length, earthquakes } };
    },
  },
  // The answer is the number alone, as text.
  countEarthquakes: { postRequest: ({ response }) => ({ response: { count: Number(response) } }) },
  getEarthquake: { postRequest: ({ response }) => ({ response: readEarthquake(response) }) },
});

function readEarthquake({ id, properties, geometry }) {
  const [longitude, latitude, depthKm] = geometry.coordinates;
  const { mag, magType, place, time, updated, alert, tsunami, sig, felt, status, type, url } = properties;
  return {
    id,
    magnitude: mag,
    magnitudeType: magType,
    place,
    time: new Date(time).toISOString(),
    updated: new Date(updated).toISOString(),
    longitude,
    latitude,
    depthKm,
    alert,
    tsunami: tsunami === 1,
    significance: sig,
    felt,
    status,
    type,
    url,
  };
}
