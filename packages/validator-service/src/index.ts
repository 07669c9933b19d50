export { createService, type Service } from './service.ts';
export type { Settings } from './settings.ts';
