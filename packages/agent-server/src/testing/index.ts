export type { ScriptedMessage, ScriptedRequest } from './read-request.ts';
export { createScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export type { ScriptedCall, ScriptedFault, ScriptedTurn, ScriptedUsage } from './scripted-turn.ts';
