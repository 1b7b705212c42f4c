import { describe, expect, it } from '@jest/globals';
import { CLUSTERS_LEASE, PLACEMENT_LEASE } from '../../src/api/names.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkText } from '../../src/cli/commands/check.js';
import { checkBefore } from '../../src/answers/check/pre.js';
import { drainLines } from '../../src/cli/commands/maintenance.js';
import { listClusters } from '../../src/cli/commands/cluster/list.js';
import { linesText } from '../../src/answers/output.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { worldIn } from '../../src/answers/world/worlds.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { status } from '../../src/cli/commands/status.js';
import { history } from '../../src/cli/commands/history.js';
import { changePause } from '../../src/cli/commands/pause.js';
import { EXAMPLES } from '../../src/cli/examples.js';
import { releaseClusters } from '../../src/cli/commands/release.js';
import { tree } from '../../src/cli/commands/tree.js';
import { whoSelects } from '../../src/cli/commands/whoselects.js';
import { program, readConfig, type Usage } from '../support/commandline.js';
import { exampleAgents } from '../support/builders/clusters.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';
import { historyWorld } from '../support/builders/examplehistory.js';
import { PauseHub } from '../support/fakes/pausehub.js';
import { heldWorld, ReleaseClient } from '../support/fakes/releaseclient.js';
import { hubFacts, leaseFact, NOW, placementIn, preFacts, rawEngine, readingOf } from '../support/builders/hubinput.js';
import { rawPlacement } from '../support/builders/world.js';
import { commandPages, readPage } from '../support/repository/documents.js';
import { stepsIn } from '../support/repository/markdown.js';

const WORLD = exampleWorld(EXAMPLE_SPEC, {
  multiclusterengines: [rawEngine()],
  placements: [{ ...rawPlacement(EXAMPLE_SPEC), status: placementIn('Satisfied').status }],
});
/** The placement controller stopped: its Leases ran out 3 minutes ago. */
const FACTS = hubFacts({
  reading: readingOf(
    withAgents(worldOf({ multiclusterengines: [rawEngine()], placements: [placementIn('Satisfied')] })),
  ),
  placementLease: leaseFact(PLACEMENT_LEASE, 'placement-controller-1', 200_000),
  clustersLease: leaseFact(CLUSTERS_LEASE, 'placement-controller-1', 200_000),
});

/** A world with the clusters that `cluster list` shows. */
function withAgents(world: World): World {
  return { ...world, objects: { ...world.objects, managedclusters: exampleAgents } };
}

/** What the program prints on a hub with the example fleet. */
async function outputOf(command: string): Promise<string> {
  const argv = command
    .replace(/^(kubectl mce|multicluster-engine) /, '')
    .replaceAll("'", '')
    .split(' ');
  const config = readConfig(argv, {});
  const colored = false;
  switch (config.command) {
    case 'explain':
      return explainPlacement(WORLD, { ...config, namespace: config.namespace ?? 'default', colored });
    case 'who-selects':
      return whoSelects(readingOf(WORLD), config.cluster, { ...config, colored });
    case 'tree': {
      const namespace = config.allNamespaces ? undefined : config.namespace;
      return tree(
        readingOf(worldIn(WORLD, namespace), { namespace }),
        config.placement,
        { ...config, colored },
        config.by,
      );
    }
    case 'status':
      return status(readingOf(withAgents(WORLD)), { ...config, colored });
    case 'check':
      return checkText(config.pre ? checkBefore(preFacts()) : checkHub(FACTS), { ...config, colored });
    case 'drain':
      return linesText(drainLines(WORLD, config.cluster));
    case 'cluster list':
      return listClusters(exampleAgents, { ...config, colored });
    case 'release': {
      const { namespace = 'default', placement, clusters, forMs } = config;
      const request = { namespace, placement, clusters, now: NOW, until: NOW + forMs };
      return `${await releaseClusters(new ReleaseClient(heldWorld()), request)}\n`;
    }
    case 'history':
      return history(readingOf(historyWorld()), config.placement, { ...config, colored });
    case 'pause': {
      const { namespace = 'default', placement, dryRun } = config;
      const request = { command: config.command, namespace, placement, dryRun, now: NOW };
      return linesText(await changePause(new PauseHub(WORLD), request));
    }
    case 'usage':
      return config.text;
    default:
      throw new Error(`${command}: no command of these pages`);
  }
}

function stepsOf(pages: readonly string[]): [page: string, command: string, output: readonly string[]][] {
  return pages.flatMap((page) =>
    stepsIn(readPage(page)).map((step): [string, string, readonly string[]] => [page, step.command, step.output]),
  );
}

describe('the commands of the pages', () => {
  it.each(stepsOf(commandPages()))('%s shows what %s prints', async (_page, command, output) => {
    expect(output).toEqual((await outputOf(command)).trimEnd().split('\n'));
  });
});

/** The examples of help, with their command. */
const HELP = Object.entries(EXAMPLES).flatMap(([command, examples]) =>
  examples.map(([, words]): [command: string, words: string] => [command, words]),
);
/** What a hub with the example fleet answers. */
const READING = /^(?:explain|who-selects|tree|history|status|check|cluster list)\b/;

describe('the examples of help', () => {
  it('every command has one, and the help of a command or an action shows its own', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(program.commands.map(({ name }) => name).sort());
    expect(readConfig(['pause', '--help'], {})).toMatchObject({
      text: expect.stringContaining(
        'Examples:\n  # Freeze a decision\n  multicluster-engine pause placement web -n shop\n',
      ),
    });
    const { text } = readConfig(['cluster', 'list', '--help'], {}) as Usage;
    expect(text.match(/^ {2}multicluster-engine .*$/gm)).toEqual(['  multicluster-engine cluster list']);
  });

  it.each(HELP)('%s: the program accepts %s', (command, words) => {
    expect(readConfig(words.split(' '), {}).command).toMatch(new RegExp(`^${command}`));
  });

  it.each(HELP.filter(([, words]) => READING.test(words)))(
    '%s: the example fleet has an answer to %s',
    async (_, words) => {
      expect(await outputOf(words)).not.toBe('');
    },
  );
});
