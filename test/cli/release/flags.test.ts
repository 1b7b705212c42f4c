import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../support/commandline.js';
import { version } from '../../../src/runtime/process/build.js';

function read(line: string): ReturnType<typeof readConfig> {
  return readConfig(['release', ...line.split(' ')], {});
}

describe('release', () => {
  it('the held clusters are released for ten minutes unless flags say otherwise', () => {
    const source = { kind: 'api', kubeconfig: undefined, context: undefined, impersonate: undefined };
    expect(read('placement web')).toEqual({
      command: 'release',
      version: version(),
      namespace: undefined,
      additions: false,
      placement: 'web',
      clusters: undefined,
      forMs: 600_000,
      dryRun: false,
      source,
    });
    expect(read('placement web -n shop --clusters a,b --for 1h')).toMatchObject({
      namespace: 'shop',
      clusters: ['a', 'b'],
      forMs: 3_600_000,
      dryRun: false,
    });
    expect(read('placement web --clusters *')).toMatchObject({ clusters: ['*'] });
  });

  it.each([
    ['web', 'wrong arguments "web"; want placement NAME'],
    ['placement web --for 8d', '--for must be a duration such as 30s, 10m or 1h, from 1s to 24h, got "8d"'],
    ['placement web --for 0s', '--for must be a duration such as 30s, 10m or 1h, from 1s to 24h, got "0s"'],
    ['placement web --for 10', '--for must be a duration such as 30s, 10m or 1h, from 1s to 24h, got "10"'],
    ['placement web --clusters a,', '--clusters must be words with commas between them, got "a,"'],
    [
      'placement web --clusters a/b',
      '--clusters must be names of clusters with commas between them: not empty, . or .., without / and %, got "a/b"',
    ],
  ])('%s ends with code 1 and the reason', (line, message) => {
    expect(read(line)).toEqual({ command: 'usage', exitCode: 1, text: `multicluster-engine: ${message}\n` });
  });
});
