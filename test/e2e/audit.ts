// Runs after all end-to-end tests (test/run.sh), over the request logs of all their servers. Not found by Jest's usual
// pattern; named on the command line.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';

import { collectedAuditLogs } from '@multicluster-engine/kube-apiserver/testing/controlplane/auditcollection';
import { judge, type Findings } from '../support/audit/judge.js';
import { rightsIn } from '../support/audit/rights.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { missingPrograms } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../support/repository/root.js';
import { fields } from '../support/scenario/checks/reading.js';

/** Permissions that no end-to-end test uses, each with the case that needs it. */
const SPARED: Readonly<Record<string, string>> = {
  // brokenapi.nightly.test.ts uses these.
  ...spared('multicluster-engine-placement-controller', {
    'get placementdecisions.cluster.fleetmgmt.io': 'an update conflicts',
    'get placements.cluster.fleetmgmt.io': 'an update conflicts',
    'list managedclusters.cluster.fleetmgmt.io': 'the server does not send the state as events of a watch',
    'list placementdecisions.cluster.fleetmgmt.io': 'the same',
    'list placements.cluster.fleetmgmt.io': 'the same',
    'patch events.events.k8s.io': 'the same happens again',
  }),
  ...spared('multicluster-engine-inventories', {
    'delete managedclusters.cluster.fleetmgmt.io': 'the source of a cluster has been gone for a minute',
    'get clusterprofiles.multicluster.x-k8s.io': 'before that: whether the source is gone',
    'get managedclusters.cluster.open-cluster-management.io': 'before that: whether the source is gone',
    'get customresourcedefinitions.apiextensions.k8s.io clusterprofiles.multicluster.x-k8s.io':
      'before that: whether its definition is there',
    'get customresourcedefinitions.apiextensions.k8s.io managedclusters.cluster.open-cluster-management.io':
      'before that: whether its definition is there',
    'create events.events.k8s.io': 'most sources of an inventory are gone',
    'patch events.events.k8s.io': 'most sources of an inventory are gone, again',
  }),
  ...spared('multicluster-engine-sig-decisions', {
    'update placementdecisions.multicluster.x-k8s.io': 'a decision changes',
    'delete placementdecisions.multicluster.x-k8s.io': 'a Placement needs fewer decision objects',
    'get placementdecisions.multicluster.x-k8s.io': 'an update conflicts',
  }),
  ...spared('multicluster-engine-multikueue', {
    'get multikueueconfigs.kueue.x-k8s.io': 'an update conflicts',
  }),
  'Role multicluster-engine-cluster-profiles: list clusterprofiles.multicluster.x-k8s.io':
    'the server does not send the state as events of a watch',
  'Role multicluster-engine-cluster-profiles: delete clusterprofiles.multicluster.x-k8s.io':
    'a cluster has been gone for a minute',
  ...spared('multicluster-engine-local-cluster', {
    'get namespaces kube-system': 'the overlay is namespaced: there the operator may read no namespace',
  }),
  ...spared('multicluster-engine-agent-leases', {
    'list leases.coordination.k8s.io': 'the server does not send the state as events of a watch',
  }),
  'Role multicluster-engine-inventories: watch leases.coordination.k8s.io multicluster-engine-inventories':
    'another replica holds the Lease',
};

function spared(role: string, cases: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(cases).map(([right, needs]) => [`ClusterRole ${role}: ${right}`, needs]));
}

const missing = missingPrograms('hub');
const suite = missing === undefined || process.env['CI'] === 'true' ? describe : describe.skip;

suite('the requests of all end-to-end tests', () => {
  let servers: readonly string[] = [];
  let findings: Findings = { uncovered: [], refused: [], unused: [] };

  beforeAll(async () => {
    const logs = await collectedAuditLogs();
    servers = [...logs.keys()];
    const rendered = await kubectlOk(['kustomize', `${root}/deploy/overlays/default`], {
      kubeconfig: `${root}/.run/none`,
    });
    const optional = ['inventories', 'sig-decisions', 'multikueue', 'cluster-profiles'].map((one) =>
      readFileSync(path.join(root, 'deploy', one, 'rights.yaml'), 'utf8'),
    );
    const objects = [rendered, ...optional].flatMap((text) => loadAll(text)).map((one): AnyObject => fields(one));
    findings = judge(logs.values(), rightsIn(objects), new Set(Object.keys(SPARED)));
  });

  it('the request logs of all end-to-end tests are collected', () => {
    const folder = path.dirname(fileURLToPath(import.meta.url));
    const tests = readdirSync(folder).filter((name) => /^[^.]+\.test\.js$/.test(name));
    // Nightly files run elsewhere. The request logs of `make run` are not collected: it starts an API server of its own.
    const onHubs = tests.filter((test) =>
      readFileSync(path.join(folder, test), 'utf8').includes('describeWithServer('),
    );
    expect(onHubs.length).toBeGreaterThan(9);
    for (const test of onHubs)
      expect(servers).toContainEqual(expect.stringMatching(new RegExp(`^e2e-${test.slice(0, -8)}-`)));
  });

  it('every request of the end-to-end tests is covered by a rule of deploy/ or by a permission of every user', () => {
    expect(findings.uncovered).toEqual([]);
  });

  it('no request of the end-to-end tests was rejected for a permission that no test had removed', () => {
    expect(findings.refused).toEqual([]);
  });

  it('the requests of the end-to-end tests use each verb of each rule on each resource', () => {
    expect(findings.unused).toEqual([]);
  });
});
