import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../support/commandline.js';

/** The flags of the console: of a person, and as a component of a hub. */

/** What the pods of the component have. */
const VARIABLES = {
  MULTICLUSTER_ENGINE_LISTEN: ':8443',
  MULTICLUSTER_ENGINE_TLS_CERT: '/c',
  MULTICLUSTER_ENGINE_TLS_KEY: '/k',
  MULTICLUSTER_ENGINE_METRICS_SECURE: 'true',
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  KUBERNETES_SERVICE_PORT: '443',
};

describe('the console', () => {
  it('with --on-hub the console serves by the variables of its pod', () => {
    expect(readConfig(['console', '--on-hub'], VARIABLES)).toMatchObject({
      listen: { host: '', port: 8443 },
      component: { tls: { cert: '/c', key: '/k' }, metricsSecure: true, upstream: 'https://10.0.0.1' },
    });
  });

  it('without --on-hub no variable opens a port to others, also in a pod', () => {
    expect(readConfig(['console'], VARIABLES)).toMatchObject({
      listen: { host: '127.0.0.1', port: 0 },
      component: undefined,
    });
  });

  it.each([
    [['--on-hub'], {}, '--tls-cert is required'],
    [['--tls-cert=/c'], {}, '--tls-cert needs --on-hub'],
    [['--on-hub=false', '--log-level=debug'], VARIABLES, '--log-level needs --on-hub'],
    [['--on-hub', '--as=jane'], VARIABLES, '--on-hub cannot be used with --as'],
    [['--on-hub', '--health-listen=:8443'], VARIABLES, '--health-listen must be an address with another port than'],
    [['--on-hub'], { ...VARIABLES, NODE_OPTIONS: '--inspect' }, 'NODE_OPTIONS must not be set for a console on a hub'],
    [['--listen=0.0.0.0:1'], {}, '--listen must be an address of this machine alone'],
  ])('console with %j is refused, with the rule', (flags, env, message) => {
    expect(readConfig(['console', ...flags], env)).toMatchObject({
      command: 'usage',
      text: expect.stringContaining(message),
    });
  });
});
