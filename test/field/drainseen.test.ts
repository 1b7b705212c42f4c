import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { checkMaintenance } from '../../src/answers/check/hub.js';
import { status } from '../../src/cli/commands/status.js';
import { fleetSummary, maintenanceText } from '../../src/answers/fleetsummary.js';
import { exampleWorld, EXAMPLE_SPEC } from '../support/builders/examplefleet.js';
import { root } from '../support/repository/root.js';

/**
 * Somebody drained a cluster, pressed Ctrl-C while the command waited, and went home. Nothing said that the drain goes on, and
 * neither `kubectl get mcl` nor `status` nor `check` showed a cluster that takes no workloads.
 * Right: a column, as Nodes have it, the same line in both commands, and a sentence at Ctrl-C that names how to see and end it.
 */

const cluster = (name: string, spec: object, conditions: readonly object[] = []): RawObject => ({
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'ManagedCluster',
  metadata: { name },
  spec,
  status: { conditions },
});
const taint = (key: string, effect: string): object => ({ taints: [{ key: `cluster.fleetmgmt.io/${key}`, effect }] });

function reading(managedclusters: readonly RawObject[]) {
  return { world: exampleWorld(EXAMPLE_SPEC, { managedclusters }), namespace: undefined, refused: [] };
}

const FLEET = [
  cluster('a', { maintenance: 'Draining' }),
  cluster('b', { maintenance: 'Cordoned' }),
  cluster('c', taint('draining', 'NoSelect')),
  cluster('d', taint('cordoned', 'NoSelectIfNew')),
  cluster('e', taint('maintenance', 'NoSelect')),
  cluster('f', {}),
];
const LINE = 'draining: a, c; cordoned: b, d';

describe('a drain and a cordon', () => {
  it('are said by one function, by the field and by the taints that people write', () => {
    expect(maintenanceText(fleetSummary(FLEET))).toBe(LINE);
  });

  it('are a line of status and a warning of check, with the command that ends them', () => {
    const shown = status(reading(FLEET), { output: 'text', colored: false });

    expect(shown).toContain(`maintenance  ${LINE}\n`);
    expect(checkMaintenance({ reading: reading(FLEET) })).toEqual([
      {
        name: 'maintenance',
        status: 'Warning',
        message: `Placements keep away from clusters in maintenance: ${LINE}`,
        remedy: 'kubectl mce uncordon NAME',
      },
    ]);
  });

  it('without one there is no line', () => {
    expect(status(reading([cluster('f', {})]), { output: 'text', colored: false })).not.toContain('maintenance');
    expect(checkMaintenance({ reading: reading([cluster('f', {})]) })).toEqual([]);
  });

  it('are a column of kubectl get', () => {
    const definition = load(readFileSync(path.join(root, 'crds', 'managedcluster.yaml'), 'utf8'));
    const columns = Object(definition)['spec'].versions[0].additionalPrinterColumns as readonly object[];

    expect(columns).toContainEqual(expect.objectContaining({ name: 'Maintenance', jsonPath: '.spec.maintenance' }));
    expect(columns).not.toContainEqual(expect.objectContaining({ name: 'Maintenance', priority: 1 }));
  });
});

describe('Ctrl-C while drain waits', () => {
  it('says that the drain goes on, how to see it and how to end it, and ends the process as the signal does', async () => {
    const module = path.join(root, 'dist', 'src', 'cli', 'commands', 'maintenance.js');
    const script = `import(${JSON.stringify(module)}).then(({ sayAtInterrupt }) => {
      sayAtInterrupt('edge-1 stays drained\\n');
      setInterval(() => undefined, 1000);
      console.log('ready');
    });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text) => void (errors += String(text)));
    child.stdout.on('data', () => void child.kill('SIGINT'));
    const ended = await new Promise((resolve) => child.on('close', (_code, signal) => resolve(signal)));

    expect({ ended, errors }).toEqual({ ended: 'SIGINT', errors: '\nedge-1 stays drained\n' });
  });
});
