import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readHubToken } from '../../src/domain/agent/hubtoken.js';
import { clusterInfoConfig } from '../../src/agent/home.js';
import { proxyFromEnvironment } from '../../src/runtime/kubeconfig/environment.js';
import { listen } from '../../src/runtime/http/connections.js';
import { program, readConfig } from '../support/commandline.js';

/*
 * People gave `cluster add --hub-url https://fd00::1:6443`, `https://hub:port` or a port of 99999: a pattern took it, the parser
 * of URLs threw, and the command ended in a stack.
 * What is right: every flag and variable of every command takes a value or refuses it in one sentence that names the flag, the
 * value and the rule; and what it takes, each parser behind it takes, too.
 */

const URLS = [
  'https://fd00::1:6443',
  'https://hub:port',
  'https://hub:99999',
  'https://hub:0',
  'https://%zz',
  'https://h/%zz',
  'https://a b',
  'https://',
  'https:///x',
  'https://[::1',
  'https://[zz]:1',
  'http://h',
  'https://user:pw@h',
  'https://h?x',
  'https://h#x',
  'https://h/\\',
  'ftp://h',
  'https://h:443:443',
  'https://256.256.256.256',
  'https://1.2.3',
  'https://0x7f.1',
  'https://xn--a',
  'https://h\n',
  'https://h/\u001b',
];
const ADDRESSES = [
  ':99999',
  'h:port',
  '[::1]',
  '::1',
  '::1:80',
  '[zz]:80',
  '[1.2.3.4]:80',
  '256.1.1.1:80',
  '1.2.3:80',
  '..:80',
  'a..b:80',
  '-a:80',
  'localhost',
  'localhost:',
  '[fe80::1%lo]:80',
  '[1::2::3]:0',
  'a b:80',
  'a_b:80',
  '\n:80',
];
const NUMBERS = ['-1', '1e309', '9'.repeat(400), 'NaN', 'Infinity', '0x10', '1_000', '1e3', ' 5', '5 ', '"5"', '٣'];
const DURATIONS = ['-1s', '1e3s', '10 m', '9999999d', 'PT1H', '1h 30m', '1', 's', '1.s', '1w'];
const WORDS = [
  '',
  ' ',
  '\n',
  'a\nb',
  '\u001b[31mred',
  '-',
  '--',
  '.',
  '..',
  '/',
  '*',
  '%zz',
  '=',
  ',',
  'a,,b',
  'é',
  '😀',
  'True',
];
const OTHERS = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'a/b/c',
  'label/',
  'mcl/',
  'a=b,=c',
  'jsonpath={.a[',
  'a'.repeat(300),
];
const HOSTILE = [...URLS, ...ADDRESSES, ...NUMBERS, ...DURATIONS, ...WORDS, ...OTHERS];

/** What each kind of value refuses, by its placeholder in the help. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  URL: URLS,
  'HOST:PORT': ADDRESSES,
  N: NUMBERS,
  K: NUMBERS,
  SECONDS: NUMBERS,
  DURATION: [...DURATIONS, ...NUMBERS],
  IMAGE: ['', ' ', 'a b', '../x', 'a..b/c', '-a/b:c', 'http://h/x', 'A'],
};
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  explain: ['placement', 'web'],
  history: ['placement', 'web'],
  release: ['placement', 'web'],
  pause: ['placement', 'web'],
  resume: ['placement', 'web'],
  'who-selects': ['a'],
  cordon: ['a'],
  uncordon: ['a'],
  drain: ['a'],
  clusterset: ['bind', 'a'],
  completion: ['bash'],
};
const PAIR = ['--tls-cert=c', '--tls-key=k', '--upstream=https://h'];

/** The rest of a command line with this flag, so that nothing else is wrong with it. */
function restOf(command: string, flag: string): readonly string[] {
  const others = {
    cluster: ['add', 'a', ...(flag === 'image' ? [] : ['--image=r/e:1'])],
    gateway: PAIR.filter((one) => !one.startsWith(`--${flag}=`)),
    console: ['on-hub', 'tls-cert', 'upstream', 'health-listen', 'metrics-listen'].includes(flag)
      ? ['--on-hub', ...PAIR.filter((one) => !one.startsWith(`--${flag}=`))]
      : [],
  };
  return ARGUMENTS[command] ?? (others as Readonly<Record<string, readonly string[]>>)[command] ?? [];
}

/** The answer to each of these values of a flag, or of its variable. */
function answers(
  command: string,
  flag: string,
  { values, variable }: { readonly values: readonly string[]; readonly variable?: string },
): readonly string[] {
  return values.map((value) => {
    const [words, env] = variable === undefined ? [[`--${flag}=${value}`], {}] : [[], { [variable]: value }];
    const read = readConfig([command, ...restOf(command, flag), ...words], env);
    return read.command === 'usage' ? `${read.exitCode} ${read.text}` : 'taken';
  });
}

const COMMANDS = program.commands.map((command) => ({ command, name: command.name }));
const SENTENCE = /^taken$|^[12] multicluster-engine: [^\p{Cc}]+\n$/u;

describe('a hostile value of a flag', () => {
  it.each(COMMANDS)('$name takes each value of a flag, or refuses it in one sentence', ({ command, name }) => {
    const all = Object.keys(command.flags).flatMap((flag) => answers(name, flag, { values: HOSTILE }));

    expect(all.filter((one) => !SENTENCE.test(one))).toEqual([]);
  });

  it.each(COMMANDS)('$name names flag, value and rule of what its flags refuse', ({ command, name }) => {
    for (const [flag, { value = '' }] of Object.entries(command.flags)) {
      const values = (Object.hasOwn(REFUSED, value) ? REFUSED[value] : undefined) ?? [];
      const said = answers(name, flag, { values });

      const wanted = values.map(
        (one) => `: --${flag} must be …, got ${JSON.stringify(one.replace(/:\/\/.*@/, '://…@'))}\n`,
      );

      expect(said.map((one) => one.replace(/^\d [^:]*/, '').replace(/must be .*, got/, 'must be …, got'))).toEqual(
        wanted,
      );
    }
  });

  it.each(COMMANDS.filter(({ command }) => command.arguments === undefined))(
    '$name reads a variable as the flag',
    ({ command, name }) => {
      for (const [flag, row] of Object.entries(command.flags)) {
        const variable = `MULTICLUSTER_ENGINE_${row.variable ?? flag.toUpperCase().replaceAll('-', '_')}`;
        const values = HOSTILE.filter((one) => one !== '');
        const byFlag = answers(name, flag, { values });
        const byVariable = answers(name, flag, { values, variable });

        expect(byVariable.map((one) => one.replaceAll(variable, `--${flag}`))).toEqual(byFlag);
      }
    },
  );
});

describe('a hostile value elsewhere', () => {
  it.each(URLS.filter((one) => one === one.trim()))(
    'the address %j of a hub in the Secret of an agent is refused in one sentence',
    (url) => {
      const data = { cluster: 'a', 'cluster-uid': 'u', 'join-token': 't', 'join-secret-uid': 's', hub: url };
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);

      expect(readHubToken({ data: Object.fromEntries(encoded) })).toEqual({
        kind: 'unusable',
        problem: 'hub must be an https URL, such as https://hub.example.com:6443 or https://[fd00::1]:6443',
      });
    },
  );

  it.each(URLS)('a cluster whose cluster-info has the address %j has no address', (server) => {
    const kubeconfig = JSON.stringify({ clusters: [{ name: '', cluster: { server } }] });

    expect(clusterInfoConfig({ data: { kubeconfig } })).toBeUndefined();
  });

  it.each(['%zz', 'h:port', 'a b', '://', 'user:secret@h:port'])('the variable HTTPS_PROXY=%s is refused', (value) => {
    const read = (): unknown => proxyFromEnvironment(new URL('https://hub'), { HTTPS_PROXY: value });

    expect(read).toThrow(/^the variable HTTPS_PROXY must be HOST:PORT, or an http, https or socks5 URL, got "/);
    expect(read).not.toThrow('secret');
  });
});

describe('an address that another program has', () => {
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

  it('the console names flag, address and reason in one sentence', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hostile-'));
    const other = createServer();
    const port = await listen(other, { host: '127.0.0.1', port: 0 });
    const kubeconfig = path.join(folder, 'kubeconfig');
    const config = {
      clusters: [{ name: 'a', cluster: { server: `https://127.0.0.1:${port}` } }],
      users: [{ name: 'a', user: { token: 'a' } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const args = [main, 'console', `--kubeconfig=${kubeconfig}`, `--listen=127.0.0.1:${port}`];

    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    other.close();
    rmSync(folder, { recursive: true });

    expect([status, stderr]).toEqual([
      1,
      `multicluster-engine console: --listen 127.0.0.1:${port}: another program listens there\n`,
    ]);
  });
});
