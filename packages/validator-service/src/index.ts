export type { ServiceFinding } from './problems/finding.ts';
export { createService, type Service, type ServiceOptions } from './service.ts';
export { readSettings, type Settings } from './settings.ts';
