import { AGENT_TOKEN_SECRET, AGENTS_NAMESPACE } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { Leases, Roles, Secrets } from '../../../../src/runtime/vocabulary/kinds.js';
import { condition } from '../../../support/scenario/checks/reading.js';
import { AGENT_ACCOUNT, namespaceOf } from '../../hub/machine.js';
import { scenarios, slowly, step, wait, type Step } from '../../scenario.js';
import { leave, place } from '../fleet.js';
import { add, connect, customClaims, cut, hubWith, machines, north, renew, setMachine } from './machines.js';

/** How clusters join a hub, and with which identity. */

/** The agent may write its Secret, or may only read it. */
const setSecretVerbs = (home: string, verbs: readonly string[]): Step =>
  step(`the agent of machine ${home} may ${verbs.join(' and ')} its Secret`, async (hands) => {
    const name = { name: AGENT_ACCOUNT, namespace: namespaceOf(home) };
    const { rules } = (await hands.find(Roles, name)) as unknown as {
      readonly rules: readonly { resources: string[] }[];
    };
    const changed = rules.map((rule) => (rule.resources.includes('secrets') ? { ...rule, verbs } : rule));
    await hands.patch(Roles, name, { rules: changed });
  });

/** An agent that is killed before it has stored its token again has none: people see that the cluster is silent, and renew its manifest. */
const recreateSecret: Step = {
  title: 'the Secret of machine a is created again from its manifest, and people look ten minutes later',
  act: async (stage) => {
    const { hands, simulation } = stage;
    const name = { name: AGENT_TOKEN_SECRET, namespace: namespaceOf('a') };
    await hands.patch(Secrets, name, { data: { token: null, 'token-join-secret-uid': null } });
    await simulation.pass(600_000);
    const cluster = await hands.find(ManagedClusters, { name: 'a' });
    const { status } = condition(cluster as never, 'ManagedClusterConditionAvailable');
    if (status !== 'True') await slowly(70, renew('a')).act(stage);
  },
};

/** A machine that was rebuilt takes over a name: its agent reads the Secret every five minutes. */
const takeName: Step = {
  title: 'machine b gets a renewed manifest of cluster a, and cluster b is deleted later',
  act: async (stage) => {
    await slowly(330, renew('a', 'b')).act(stage);
    await leave('b').act(stage);
  },
};

/** Somebody deletes the Lease while its holder cannot be reached. */
const takeOver: Step = {
  title: 'the Lease of a is deleted while machine a has no network, and the agent of machine b starts again',
  act: async ({ hands, simulation }) => {
    await setMachine(hands, 'a', { isCut: true });
    await setMachine(hands, 'b', { runs: false });
    await simulation.pass(1_000);
    await hands.remove(Leases, { name: 'a', namespace: AGENTS_NAMESPACE });
    await setMachine(hands, 'b', { runs: true });
  },
};

export const JOINING = scenarios('agents', {
  join: {
    selects: 'a ab ab',
    ...hubWith('abc', {}, 'a'),
    steps: [
      place('web', { numberOfClusters: 2 }),
      slowly(60, add('b')),
      slowly(60, add('c', 'c', { leaseSeconds: 20 })),
    ],
  },
  'secret-not-stored': {
    selects: 'a a a',
    ...hubWith('a'),
    given: async (hands) => {
      await machines(hands, 'a', 'a');
      await setMachine(hands, 'a', { runs: false });
      await setSecretVerbs('a', ['get']).act({ hands } as never);
      await setMachine(hands, 'a', { runs: true });
    },
    quietMs: 90_000,
    steps: [place('web', {}), slowly(90, setSecretVerbs('a', ['get', 'patch'])), recreateSecret],
  },
  /** An agent replaces a token of unknown age soon after its start, and here it takes half a minute to store the new one. */
  'slow-secret': {
    selects: 'a a',
    ...hubWith('a', { leaseSeconds: 20 }),
    steps: [
      place('web', {}),
      slowly(150, {
        title: 'the Secret of machine a is slow, and its agent starts again',
        act: async ({ hands, simulation }) => {
          await setMachine(hands, 'a', { secretDelayMs: 14_000, runs: false });
          await simulation.pass(1_000);
          await setMachine(hands, 'a', { runs: true });
        },
      }),
    ],
  },
  rotation: {
    selects: 'a a a a a a -',
    ...hubWith('a'),
    steps: [
      place('web', {}),
      wait(34 * 60),
      customClaims('a', { region: 'north' }),
      wait(34 * 60),
      // Longer than any token is valid.
      wait(8 * 24 * 60),
      place('web', { predicates: north }),
      slowly(5, customClaims('a', { region: null })),
    ],
  },
  renewed: {
    ...hubWith('ab'),
    steps: [
      place('web', { numberOfClusters: 1 }),
      slowly(70, renew('a')),
      slowly(5, customClaims('a', { region: 'north' })),
      slowly(70, takeName),
    ],
  },
  /** The identity of a cluster ends with its last token. */
  expired: {
    ...hubWith('a'),
    steps: [slowly(200, cut('a')), wait(8 * 24 * 60), connect('a'), slowly(70, renew('a'))],
  },
  /** Two machines have a manifest of the same cluster; only one of them holds its Lease. */
  twin: {
    ...hubWith('ab', {}, 'a'),
    steps: [slowly(70, add('a', 'b')), slowly(70, takeOver), slowly(70, connect('a'))],
  },
  rejoin: {
    selects: 'ab b ab ab',
    ...hubWith('ab'),
    steps: [
      place('web', {}),
      slowly(70, leave('a')),
      slowly(70, add('a')),
      slowly(5, customClaims('a', { region: 'north' })),
    ],
  },
});
