import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JoinData } from '../../../src/domain/agent/hubtoken.js';
import { root } from '../repository/root.js';

const HUB_CA = readFileSync(path.join(root, 'test', 'support', 'builders', 'gateway-ca.pem'), 'utf8').trim();

/** What a manifest for the cluster edge-1 holds. */
export function joinData(changes: Partial<JoinData> = {}): JoinData {
  return {
    cluster: 'edge-1',
    clusterUid: 'uid-of-cluster',
    hubUrl: 'https://hub.example.com:6443',
    hubCa: HUB_CA,
    joinToken: 'join.to.ken',
    joinSecretUid: 'uid-of-secret',
    ...changes,
  };
}
