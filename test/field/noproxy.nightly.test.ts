/*
 * What people did: they wrote NO_PROXY for client-go, with networks, addresses in brackets, ports and slips of the pen.
 * What is right: for each text the command line, the agent and the operator decide as kubectl does. A network that is none, such
 * as 10.0.0.0/33, ended the process or was read as an address; one of IPv6 excluded every address of IPv4.
 */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { proxyFromEnvironment } from '../../src/runtime/kubeconfig/environment.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';

const PROXY = 'http://proxy.example:3128';
const SERVERS = [
  'https://hub.example',
  'https://hub.example.',
  'https://a.hub.example:6443',
  'https://ab.example:80',
  'http://hub.example',
  'https://10.1.2.3',
  'https://10.1.2.3:6443',
  'https://10.0.0.0',
  'https://255.255.255.255',
  'http://10.1.2.3:8080',
  'https://[fd00::1]:6443',
  'https://[::ffff:10.1.2.3]',
  'https://münchen.example',
  'https://xn--mnchen-3ya.example',
  'https://localhost',
  'https://127.0.0.2',
  'https://[::1]',
];
const NAMES = [
  ['*', 'a', '*.', '.', '..example', '**.example', '*example', 'hub*', '', 'ex ample', '.com', 'localhost'],
  ['hub.example', 'HUB.example', '.hub.example', '*.hub.example', ' hub.example', 'hub.example.', 'hub.example/'],
  ['hub.example:6443', '.example:443', 'hub.example:https', 'example:', ':6443', ':', 'example:0443', 'a:b:c'],
  ['[hub.example]:443', '[', '[]', '[]:443', 'http://hub.example', 'münchen.example', 'xn--mnchen-3ya.example'],
].flat();
const ADDRESSES = [
  ['10.1.2.3', '10.1.2.3:443', '10.1.2.3:80', '010.1.2.3', '2.3', '[10.1.2.3]', '[10.1.2.3]:443'],
  ['fd00::1', 'FD00:0:0::0001', '[fd00::1]', '[fd00::1]:6443', '[fd00::1]:443', 'fd00::1:6443', '::ffff:10.1.2.3'],
  ['10.1.0.0/16', '10.1.2.3/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/+8', '10.0.0.0/8:443', '10/8'],
  ['010.0.0.0/8', ' 10.0.0.0/8', '0.0.0.0/0', '0/0', '10.1.2.3/032', '1.2.3.4/8'],
  ['fd00::/8', 'fd00::/129', '::/0', '::ffff:10.0.0.0/104', '::ffff:0:0/96', '::ffff:0:0/95', 'fe80::1%eth0'],
].flat();
const RULES = [...NAMES, ...ADDRESSES];
const SAMPLES = 2_000;

/** One to three rules, and some with a letter in the place of others. */
const someRules = fc
  .array(
    fc
      .tuple(
        fc.constantFrom(...RULES),
        fc.option(fc.tuple(fc.nat(30), fc.nat(1), fc.constantFrom('.', ':', '/', '0', '[', ']', '*', '1', 'a', ' '))),
      )
      .map(([rule, slip]) => {
        if (slip === null) return rule;
        const [at, removed, letter] = slip;
        return rule.slice(0, at) + letter + rule.slice(at + removed);
      }),
    { minLength: 1, maxLength: 3 },
  )
  .map((rules) => rules.join(','));

describeWithBuiltProgram('the proxy of client-go', 'proxy', (run) => {
  it('NO_PROXY excludes the servers that it excludes for kubectl', () => {
    const texts = [...RULES, ...fc.sample(someRules, SAMPLES)];
    const cases = texts.map((text) => ({ HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: text }));
    const input = cases.map((env) => `${JSON.stringify({ env, servers: SERVERS })}\n`).join('');

    const { code, stdout } = run([], input);

    expect(code).toBe(0);
    const theirs = stdout
      .trim()
      .split('\n')
      .map((line): string[] => JSON.parse(line));
    const differing = cases.flatMap((env, at) =>
      SERVERS.filter((server, which) => (proxyFromEnvironment(new URL(server), env) ?? '') !== theirs[at]?.[which]).map(
        (server) => `NO_PROXY=${JSON.stringify(env.NO_PROXY)} ${server}`,
      ),
    );
    expect(differing).toEqual([]);
    expect(theirs.length).toBe(texts.length);
  });
});
