import { findPeer, type PeerProgram } from './find-peer.ts';
import { findFreePorts } from './free-ports.ts';
import { type Peer, startPeerProcess } from './peer-process.ts';

export const etcdProgram: PeerProgram = findPeer('etcd', { aptPackage: 'etcd-server' });

/** Starts an empty etcd cluster of one member. */
export async function startEtcd(): Promise<Peer> {
  const [clientPort, peerPort] = await findFreePorts(2);
  const url = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  return startPeerProcess({
    program: etcdProgram,
    url,
    prepare: () => [
      ...['--name', 'test', '--data-dir', 'data'],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `test=${peerUrl}`],
    ],
    isReady: async () => {
      const response = await fetch(`${url}/health`);
      return response.ok && (await response.text()).includes('"true"');
    },
  });
}
