import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithKubectl } from '../support/clients/kubectl.js';
import { cases, GROUP, OcmHub, stepsOf, OUR_DECISION } from '../support/ocm/hub.js';

const MINUTE = 60_000;
const { coming, leaving } = stepsOf('docs/how-to/migrate-from-ocm.md');
const OCM_KINDS = [
  'managedclusters',
  'managedclustersets',
  'managedclustersetbindings',
  'placements',
  'placementdecisions',
].map((kind) => `${kind}.${GROUP}`);

/** nice-1 would do, too: a new Placement of this project selects that one. */
const DECISION_OF_OCM = {
  apiVersion: `${GROUP}/v1beta1`,
  kind: 'PlacementDecision',
  metadata: {
    name: 'ovens-decision-1',
    namespace: 'bakery',
    labels: { [`${GROUP}/placement`]: 'ovens', [`${GROUP}/decision-group-index`]: '0' },
  },
  status: { decisions: [{ clusterName: 'paris-1', reason: '' }] },
};

/** The definitions of OCM are the real ones. The test writes what its controllers would report and decide. */
describeWithKubectl('a reader who comes from Open Cluster Management', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-ocm-'));
  let hub: OcmHub;
  let isDecided = false;
  let before: readonly string[] = [];

  beforeAll(async () => {
    hub = await OcmHub.start(folder);
    await hub.reader.succeeds('kubectl apply -f examples/ocm/open-cluster-management.yaml');
    await hub.write('create', DECISION_OF_OCM);
    await hub.write('apply --server-side --subresource=status', DECISION_OF_OCM);
    await hub.report('lyon-1', 'nice-1', 'paris-1');
    await hub.install();
    before = await written();
  }, 8 * MINUTE);
  afterAll(async () => {
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** Whoever writes an object of OCM changes this. */
  const written = (): Promise<readonly string[]> =>
    hub.reader.succeeds(
      `kubectl get ${OCM_KINDS.join(',')} -A -o jsonpath='{range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}'`,
    );

  it.each(cases(coming))(
    'a command of the page prints what the page shows, and the decision that was there stays: $title',
    async ({ step }) => {
      isDecided ||= step.command.includes('kind: PlacementDecision');
      await hub.reader.shows(step);

      const decided = await hub.reader.succeeds(OUR_DECISION);
      expect(decided).toEqual(isDecided ? ['ovens-decision-1 paris-1'] : []);
    },
    5 * MINUTE,
  );

  it('nothing of OCM was written, and a cluster whose agent has left follows OCM again', async () => {
    expect(await written()).toEqual(before);

    await hub.reader.succeeds(`kubectl label managedclusters.${GROUP} paris-1 floor=2`);
    await hub.reader.shows({
      command: `kubectl get fmcl paris-1 -o jsonpath='{.metadata.labels.floor}'`,
      output: ['2'],
    });
    expect(await hub.reader.succeeds(OUR_DECISION)).toEqual(['ovens-decision-1 paris-1']);
  });

  it(
    'the last commands of the page leave OCM alone on the hub, as it was',
    async () => {
      await hub.removeAdapter();
      for (const step of leaving) await hub.reader.shows(step);

      expect(await hub.reader.succeeds('kubectl get fpl,fpd,fmcl,fmclset,fmclsetbinding -A -o name')).toEqual([]);
      expect((await written()).map((line) => line.split(' ')[1])).toEqual(before.map((line) => line.split(' ')[1]));
    },
    5 * MINUTE,
  );
});
