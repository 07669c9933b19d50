import type { DataGroup } from './attack.ts';

export const sharedObjects: DataGroup = {
  title: 'Shared objects',
  attacks: [
    {
      name: 'A schema marks every object that it can reach, and another looks for the marks',
      harm: "changes another schema's answers",
      outcome: 'no marks',
    },
  ],
};
