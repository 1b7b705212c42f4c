import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { describeWithKubectl } from '../support/clients/kubectl.js';
import { cases, GROUP, OcmHub, stepsOf, OUR_DECISION, THEIR_DECISION } from '../support/ocm/hub.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';

const MINUTE = 60_000;
const { coming, leaving } = stepsOf('docs/how-to/migrate-from-ocm.md');
/** Of what the registration controllers read besides clusters and sets. */
const WORK_AND_ADDONS = [
  'work/v1/0000_00_work.open-cluster-management.io_manifestworks.crd.yaml',
  'addon/v1alpha1/0000_00_addon.open-cluster-management.io_clustermanagementaddons.crd.yaml',
  'addon/v1alpha1/0000_01_addon.open-cluster-management.io_managedclusteraddons.crd.yaml',
];
/** Those that have written to an object, below each other. */
const MANAGERS =
  `kubectl get --show-managed-fields -A managedclusters.${GROUP},managedclustersets.${GROUP},` +
  `managedclustersetbindings.${GROUP},placements.${GROUP},placementdecisions.${GROUP} ` +
  `-o jsonpath='{range .items[*].metadata.managedFields[*]}{.manager}{"\\n"}{end}' | sort -u`;

describeWithBuiltProgram('the placement and the registration controllers of OCM on the hub', 'ocm', (_run, program) => {
  describeWithKubectl('a reader who comes from Open Cluster Management', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-ocm-controllers-'));
    let hub: OcmHub;
    let controllers: Child;
    let isDecided = false;

    beforeAll(async () => {
      const api = path.join(path.dirname(program), 'ocm-api');
      hub = await OcmHub.start(
        folder,
        WORK_AND_ADDONS.map((file) => path.join(api, file)),
      );
      controllers = await startChild({
        command: [program],
        env: { PATH: process.env['PATH'] ?? '', KUBECONFIG: hub.kubeconfig },
        output: 'pipe',
      });
      await hub.reader.succeeds('kubectl apply -f examples/ocm/open-cluster-management.yaml');
      // Of the clusters that OCM may select, this one reports first, and OCM keeps it.
      await hub.report('paris-1');
      await decides(THEIR_DECISION, 'paris-1');
      await hub.report('lyon-1', 'nice-1');
      await hub.install();
    }, 8 * MINUTE);
    afterAll(async () => {
      await hub.stop();
      await controllers.stop();
      rmSync(folder, { recursive: true, force: true });
    }, 3 * MINUTE);

    /** Resolves when the decision is of this cluster alone. */
    const decides = (decision: string, cluster: string, deadlineMs = 2 * MINUTE): Promise<unknown> =>
      waitFor(
        `the decision of ${cluster}: ${decision}`,
        async (seen) => {
          const lines = await hub.reader.succeeds(decision);
          seen(lines);
          return lines.join() === `ovens-decision-1 ${cluster}` ? lines : undefined;
        },
        { deadlineMs, everyMs: 1_000 },
      );

    /** The agents of OCM are alive: each renews the Lease of its cluster, which the hub gives five durations of time. */
    const renew = async (...names: readonly string[]): Promise<void> => {
      const now = new Date().toISOString().replace('Z', '000Z');
      for (const name of names)
        await hub.reader.succeeds(
          `kubectl patch lease managed-cluster-lease -n ${name} --type=merge -p '{"spec":{"renewTime":"${now}"}}'`,
        );
    };

    it.each(cases(coming))(
      'a command of the page prints what the page shows, and both decisions stay: $title',
      async ({ step }) => {
        await renew('lyon-1', 'nice-1', 'paris-1');
        isDecided ||= step.command.includes('kind: PlacementDecision');
        await hub.reader.shows(step);

        expect(await hub.reader.succeeds(OUR_DECISION)).toEqual(isDecided ? ['ovens-decision-1 paris-1'] : []);
        expect(await hub.reader.succeeds(THEIR_DECISION)).toEqual(['ovens-decision-1 paris-1']);
      },
      5 * MINUTE,
    );

    it(
      'both sides follow a label of OCM, and none of its objects has a field of this project',
      async () => {
        await renew('lyon-1', 'nice-1', 'paris-1');
        await hub.reader.succeeds(`kubectl label managedclusters.${GROUP} paris-1 region=us --overwrite`);
        await Promise.all([decides(THEIR_DECISION, 'nice-1'), decides(OUR_DECISION, 'nice-1')]);
        await hub.reader.succeeds(`kubectl label managedclusters.${GROUP} paris-1 region=eu --overwrite`);

        const managers = await hub.reader.succeeds(MANAGERS);
        expect(managers).toContain('ocm');
        expect(managers.filter((name) => name.includes('multicluster-engine'))).toEqual([]);
      },
      5 * MINUTE,
    );

    it(
      'OCM leaves a cluster that falls silent at once; this side first says so, and leaves it five minutes later',
      async () => {
        await hub.reader.succeeds(
          `kubectl patch managedclusters.${GROUP} nice-1 --type=merge -p '{"spec":{"leaseDurationSeconds":1}}'`,
        );
        await renew('lyon-1', 'paris-1');
        await decides(THEIR_DECISION, 'paris-1', 4 * MINUTE);
        await hub.reader.shows({
          command: `kubectl get fmcl nice-1 -o jsonpath='{.status.conditions[?(@.type=="ManagedClusterConditionAvailable")].status}'`,
          output: ['Unknown'],
        });
        expect(await hub.reader.succeeds(OUR_DECISION)).toEqual(['ovens-decision-1 nice-1']);

        await decides(OUR_DECISION, 'paris-1', 9 * MINUTE);
      },
      16 * MINUTE,
    );

    it(
      'the last commands of the page leave OCM alone on the hub, and its decision stays',
      async () => {
        await renew('lyon-1', 'paris-1');
        const before = await hub.reader.succeeds(THEIR_DECISION);
        await hub.removeAdapter();
        for (const step of leaving) await hub.reader.shows(step);

        expect(await hub.reader.succeeds('kubectl get fpl,fpd,fmcl,fmclset,fmclsetbinding -A -o name')).toEqual([]);
        expect(await hub.reader.succeeds(THEIR_DECISION)).toEqual(before);
      },
      5 * MINUTE,
    );
  });
});
