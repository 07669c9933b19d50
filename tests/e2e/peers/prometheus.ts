import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeer, type PeerProgram } from './find-peer.ts';
import { findFreePorts } from './free-ports.ts';
import { type Peer, startPeerProcess } from './peer-process.ts';

export const prometheusProgram: PeerProgram = findPeer('prometheus', { aptPackage: 'prometheus' });

/** Starts a Prometheus that scrapes itself every second, with one recording and one alerting rule, and waits for its first sample. */
export async function startPrometheus(): Promise<Peer> {
  const [port] = await findFreePorts(1);
  const address = `127.0.0.1:${port}`;
  const url = `http://${address}`;
  return startPeerProcess({
    program: prometheusProgram,
    url,
    prepare: async (folder) => {
      await writeFile(join(folder, 'prometheus.yml'), configuration(address));
      await writeFile(join(folder, 'rules.yml'), RULES);
      return ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${address}`];
    },
    isReady: async () => {
      const ready = await fetch(`${url}/-/ready`);
      if (!ready.ok) return false;
      // The server is ready before it has anything to tell.
      const sample = await fetch(`${url}/api/v1/query?query=${encodeURIComponent('job:up:sum')}`);
      return (await sample.text()).includes('"job":"prometheus"');
    },
  });
}

function configuration(address: string): string {
  return `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - job_name: prometheus
    static_configs: [{ targets: ['${address}'] }]
`;
}

const RULES = `
groups:
  - name: catalog
    rules:
      - { record: 'job:up:sum', expr: 'sum by (job) (up)' }
      - { alert: AlwaysFiring, expr: 'vector(1)', labels: { severity: page } }
`;
