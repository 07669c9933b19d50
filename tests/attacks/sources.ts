import type { DataGroup } from './attack.ts';

export const sources: DataGroup = {
  title: 'Sources and tenants',
  attacks: [
    {
      name: 'A schema loops during a call of a schema of another source',
      harm: 'hangs the calling process',
      outcome: 'the other one is not affected',
    },
    {
      name: 'A schema exhausts its memory during a call of a schema of another source',
      harm: 'exhausts memory',
      outcome: 'the other one is not affected',
    },
    {
      name: 'A tenant asks a schema for the state of another tenant',
      harm: "reads another schema's data",
      outcome: 'no shared state',
    },
    {
      name: 'A schema is asked for the state of a load with a granted secret',
      harm: 'leaks a secret',
      outcome: 'no shared state',
    },
    {
      name: 'A schema is asked for the state of a load with another granted origin',
      harm: "reads another schema's data",
      outcome: 'no shared state',
    },
  ],
};
