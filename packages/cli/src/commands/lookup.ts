import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { chainFlags, proposeChains } from './chain-nodes.ts';
import type { LookupFlags } from './lookup/look-up-agent.ts';
import { anyTexts, described, numberFlag } from './parameters.ts';

export const lookupCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => {
      const { lookUpAgent } = await import('./lookup/look-up-agent.ts');
      return command(
        'lookup',
        (flags: LookupFlags, chain: string, id: string) => lookUpAgent(flags, chain, id),
        output,
      );
    },
    parameters: {
      positional: {
        kind: 'tuple',
        parameters: [
          {
            brief: 'Chain of the agent: an alias such as BASE_MAINNET, or a chain id such as 8453',
            placeholder: 'chain',
            parse: String,
            optional: false,
            proposeCompletions: proposeChains,
          },
          {
            brief: 'Id of the agent in the registry, from 0 on',
            placeholder: 'agentId',
            parse: String,
            optional: false,
          },
        ],
      },
      flags: {
        ...chainFlags,
        privateOrigin: anyTexts('Origin of the agent that may be private, such as http://10.0.0.5:8080', 'origin'),
        timeout: numberFlag('Timeout of the lookup, in milliseconds', 'ms', { min: 1, value: 15_000 }),
      },
    },
    docs: described(
      'Look up an agent of ERC-8004 on its chain: registration, endpoints, reputation',
      'schemakit lookup BASE_MAINNET 22 --rpc BASE_MAINNET=https://base.example.com',
    ),
  });
