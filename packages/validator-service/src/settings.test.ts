import { expect, it } from 'vitest';
import { defaultSettings, readSettings } from './settings.ts';

it('reads each setting', () => {
  const env = {
    PORT: ' 0 ',
    HOST: '::1',
    API_TOKEN: 'x',
    DATA_DIR: '/data',
    ALLOW_PRIVATE_TARGETS: 'TRUE',
    PUBLIC_URL: 'https://Check.example.com/',
    TRUST_PROXY: '10.0.0.0/8, fd00::1',
    RATE_LIMIT: '0',
    MAX_RUNNING: '2',
    MAX_REPORTS: '5',
    RETENTION_DAYS: '1',
  };
  expect(readSettings(env)).toEqual({
    findings: [],
    settings: {
      port: 0,
      host: '::1',
      apiToken: 'x',
      dataDir: '/data',
      allowPrivateTargets: true,
      publicUrl: 'https://check.example.com',
      trustProxy: ['10.0.0.0/8', 'fd00::1'],
      rateLimit: 0,
      maxRunning: 2,
      maxReports: 5,
      retentionDays: 1,
    },
  });
  expect(readSettings({})).toEqual({ findings: [], settings: defaultSettings });
});

it.each([
  ['PORT', ['-1', '65536', '1.5', 'x', '', '0x10']],
  ['API_TOKEN', ['', '  ', 'two words', 'ä']],
  ['ALLOW_PRIVATE_TARGETS', ['yes', '2']],
  [
    'PUBLIC_URL',
    [
      '',
      'example.com',
      'ftp://example.com',
      'https://u@example.com',
      'https://example.com/?x',
      'https://example.com/x',
    ],
  ],
  ['TRUST_PROXY', ['proxy', '10.0.0.0/33', '10.0.0.0/0', '1.1.1.1,', '2']],
  ['RETENTION_DAYS', ['0', 'forever']],
])('refuses %s with what it must be', (name, values) => {
  for (const value of values) {
    const { settings, findings } = readSettings({ [name]: value });
    expect(settings).toBe(undefined);
    expect(findings).toEqual([
      {
        code: 'SVC001',
        severity: 'error',
        path: name,
        message: expect.stringMatching(`^${name} must be `),
        hint: expect.any(String),
      },
    ]);
  }
});
