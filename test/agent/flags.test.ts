import { describe, expect, it } from '@jest/globals';

import type { AgentConfig } from '../../src/agent/flags.js';
import { HTTPS_URL_RULE } from '../../src/runtime/vocabulary/url.js';
import { readConfig } from '../support/commandline.js';
import { version } from '../../src/runtime/process/build.js';

function read(args: readonly string[], env: Readonly<Record<string, string>> = {}): AgentConfig {
  const config = readConfig(['agent', ...args], env);
  if (config.command !== 'agent') throw new Error(config.command === 'usage' ? config.text : config.command);
  return config;
}

describe('the configuration of the agent', () => {
  it('every setting of the agent has its default without flags', () => {
    expect(read([])).toEqual({
      command: 'agent',
      version: version(),
      kubeconfig: undefined,
      namespace: 'multicluster-engine-agent',
      apiEndpoint: undefined,
      tokenLifetimeSeconds: 604_800,
      metricsListen: { host: '', port: 8080 },
      healthListen: { host: '', port: 8081 },
      logLevel: 'info',
    });
  });

  it.each<[string, string, Partial<AgentConfig>]>([
    ['kubeconfig', '/etc/config', { kubeconfig: '/etc/config' }],
    ['namespace', 'ns', { namespace: 'ns' }],
    ['api-endpoint', 'https://edge-1:6443', { apiEndpoint: 'https://edge-1:6443' }],
    ['token-lifetime', '600', { tokenLifetimeSeconds: 600 }],
    ['metrics-listen', '127.0.0.1:0', { metricsListen: { host: '127.0.0.1', port: 0 } }],
    ['health-listen', ':9000', { healthListen: { host: '', port: 9000 } }],
    ['log-level', 'debug', { logLevel: 'debug' }],
  ])("the agent's --%s=%s is taken from the flag and from the environment", (flag, value, expected) => {
    const variable = `MULTICLUSTER_ENGINE_${flag.toUpperCase().replaceAll('-', '_')}`;

    expect(read([`--${flag}=${value}`])).toMatchObject(expected);
    expect(read([], { [variable]: value })).toMatchObject(expected);
  });

  it.each([
    ['namespace', 'A', 'a namespace name (at most 63 lower-case letters, digits and inner dashes)'],
    ['api-endpoint', 'http://edge-1', HTTPS_URL_RULE],
    ['api-endpoint', 'edge-1:6443', HTTPS_URL_RULE],
    ['token-lifetime', '599', 'a whole number from 600 to 604800'],
    ['token-lifetime', '604801', 'a whole number from 600 to 604800'],
    ['health-listen', ':8080', 'an address with another port than the metrics'],
    ['log-level', 'loud', 'one of trace, debug, info, warn, error, fatal'],
  ])("the agent's --%s=%s is refused in one line", (flag, value, rule) => {
    expect(readConfig(['agent', `--${flag}=${value}`], {})).toEqual({
      command: 'usage',
      exitCode: 2,
      text: `multicluster-engine: --${flag} must be ${rule}, got ${JSON.stringify(value)}\n`,
    });
  });
});
