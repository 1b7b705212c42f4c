import type { JoinData } from '../../../src/domain/agent/hubtoken.js';

/** What a manifest for the cluster edge-1 holds. */
export function joinData(changes: Partial<JoinData> = {}): JoinData {
  return {
    cluster: 'edge-1',
    clusterUid: 'uid-of-cluster',
    hubUrl: 'https://hub.example.com:6443',
    hubCa: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    joinToken: 'join.to.ken',
    joinSecretUid: 'uid-of-secret',
    ...changes,
  };
}
