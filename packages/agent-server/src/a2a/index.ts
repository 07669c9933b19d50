export type { SkillManifest } from './agent-card.ts';
export { type A2AOptions, createA2A } from './create-a2a.ts';
