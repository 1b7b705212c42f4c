import { describe, expect, it } from '@jest/globals';
import { changePause } from '../../../src/cli/commands/pause.js';
import type { World } from '../../../src/answers/world/world.js';
import { readConfig } from '../../support/commandline.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { NOW } from '../../support/builders/hubinput.js';
import { PauseHub } from '../../support/fakes/pausehub.js';
import { rawPlacement } from '../../support/builders/world.js';

function worldWith(spec: object): World {
  const placement = rawPlacement({ ...EXAMPLE_SPEC, ...spec });
  return exampleWorld(EXAMPLE_SPEC, {
    placements: [{ ...placement, status: { phase: 'Satisfied', observedGeneration: 1 } }],
  });
}

const request = { namespace: 'shop', placement: 'web', dryRun: false, now: NOW };

describe('pause and resume', () => {
  it('a pause writes one field, and says what stays', async () => {
    const hub = new PauseHub(worldWith({}));

    expect(await changePause(hub, { ...request, command: 'pause' })).toEqual([
      'shop/web is paused',
      '  3 clusters stay, and none comes in: edge-eu-2, prod-eu-2, prod-us-1',
    ]);
    expect(hub.applied).toMatchObject([{ metadata: { namespace: 'shop', name: 'web' }, spec: { paused: true } }]);
    expect(hub.applied[0]).toHaveProperty('spec', { paused: true });
    expect(hub.options).toMatchObject([{ fieldManager: 'multicluster-engine-cli', force: true }]);
  });

  it('the end of a pause says first what it changes', async () => {
    const hub = new PauseHub(worldWith({ paused: true, numberOfClusters: 2 }));
    const lines = await changePause(hub, { ...request, command: 'resume' });

    expect(lines[0]).toBe('shop/web is resumed');
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^ {2}- \S+ {2}spec.numberOfClusters is 2$/)]);
    expect(hub.applied).toMatchObject([{ spec: { paused: false } }]);
  });

  it.each([
    ['pause', { paused: true }, 'shop/web is paused already'],
    ['resume', {}, 'shop/web is not paused'],
  ] as const)('%s writes nothing where it is so already', async (command, spec, line) => {
    const hub = new PauseHub(worldWith(spec));

    expect(await changePause(hub, { ...request, command })).toEqual([line]);
    expect(hub.applied).toEqual([]);
  });

  it('a dry run writes nothing', async () => {
    const hub = new PauseHub(worldWith({}));

    expect((await changePause(hub, { ...request, command: 'pause', dryRun: true }))[0]).toBe(
      'shop/web would be paused',
    );
    expect(hub.applied).toEqual([]);
  });

  it('a field that the definitions of the hub do not have is an error, and so is a Placement that is not there', async () => {
    const old = new PauseHub(worldWith({}), true);
    await expect(changePause(old, { ...request, command: 'pause' })).rejects.toThrow(
      'spec.paused of shop/web is not stored',
    );

    const none = new PauseHub(exampleWorld(EXAMPLE_SPEC, { placements: [] }));
    await expect(changePause(none, { ...request, command: 'pause' })).rejects.toThrow('was not found');
  });

  it('the command line is read', () => {
    const config = { command: 'pause', namespace: 'shop', placement: 'web', dryRun: true };

    expect(readConfig(['pause', 'placement', 'web', '-n', 'shop', '--dry-run'], {})).toMatchObject(config);
    expect(readConfig(['resume', 'placement', 'web'], {})).toMatchObject({ command: 'resume', dryRun: false });
    expect(readConfig(['resume', 'web'], {})).toMatchObject({ command: 'usage', exitCode: 1 });
  });
});
