export type { RunEvent } from './run/events.ts';
