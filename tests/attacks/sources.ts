import type { DataGroup } from './attack.ts';

export const sources: DataGroup = {
  title: 'Sources and tenants',
  attacks: [
    {
      name: 'A schema loops while a schema of another source is at work',
      harm: 'hangs the calling process',
      outcome: 'the other one works on',
    },
    {
      name: 'A schema fills its memory while a schema of another source is at work',
      harm: 'takes all memory',
      outcome: 'the other one works on',
    },
    {
      name: 'A tenant asks a schema for what it keeps of another tenant',
      harm: "reads another schema's data",
      outcome: 'nothing is kept',
    },
    {
      name: 'A schema is asked for what it keeps from when it was granted a secret',
      harm: 'tells a secret',
      outcome: 'nothing is kept',
    },
    {
      name: 'A schema is asked for what it keeps from when it was granted another origin',
      harm: "reads another schema's data",
      outcome: 'nothing is kept',
    },
  ],
};
