import { dump as stringify } from 'js-yaml';

/** A configuration: files, and how a client is told of them. Words such as `HTTPS_PORT` stand for what the recorder has. */
export interface Case {
  readonly name: string;
  /** Content by file name; a text is written as it is. */
  readonly files: Readonly<Record<string, string | object>>;
  /** Names of the files in `KUBECONFIG`; undefined: the file `.kube/config` in the home folder. */
  readonly list?: readonly string[];
  /** The file of `--kubeconfig`. */
  readonly explicit?: string;
  readonly context?: string;
  readonly as?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How the files are written; default UTF-8. PowerShell writes UTF-16 for `>`. */
  readonly encoding?: 'utf16le' | 'latin1';
}

const SERVER = 'https://localhost:HTTPS_PORT';
const PLUGIN = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', interactiveMode: 'Never' };
/** Answers with what it was told. */
const PLUGIN_SCRIPT = `#!/bin/sh
token=$(printf '%s' "$KUBERNETES_EXEC_INFO" | tr -c 'a-zA-Z0-9' '-' | tail -c 200)
echo >> "$(dirname "$0")/runs"
sum=$(printf '%s' "$KUBERNETES_EXEC_INFO" | cksum | tr -c '0-9\\n' '-')
printf '{"apiVersion":"%s","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' "\${ANSWER:-client.authentication.k8s.io/v1}" "$PREFIX" "$sum" "$token"
`;

interface Parts {
  readonly cluster?: unknown;
  readonly user?: unknown;
  readonly context?: unknown;
  readonly more?: object;
}

/** One file with one context. */
function config({ cluster, user = { token: 't' }, context = {}, more = {} }: Parts = {}): object {
  const named = { server: SERVER, 'certificate-authority-data': 'CA_DATA' };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: cluster === undefined ? named : cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', ...(context as object) } }],
    ...more,
  };
}

const withCluster = (cluster: object): object =>
  config({ cluster: { server: SERVER, 'certificate-authority-data': 'CA_DATA', ...cluster } });
const one = (name: string, content: string | object, more: Partial<Case> = {}): Case => {
  const { files, ...others } = more;
  return { name, files: { config: content, ...files }, list: ['config'], ...others };
};
const named = (name: string, token: string, more: object = {}): object => ({
  'current-context': name,
  clusters: [{ name, cluster: { server: `${SERVER}/${name}`, 'certificate-authority-data': 'CA_DATA' } }],
  users: [{ name, user: { token } }],
  contexts: [{ name, context: { cluster: name, user: name, namespace: `ns-${name}` } }],
  ...more,
});
const jwt = (claims: string): string => `e30.${Buffer.from(claims).toString('base64url')}.s`;
const executable = { files: { plugin: PLUGIN_SCRIPT } };

export const CASES: readonly Case[] = [
  // Which files, and which of two values.
  { name: 'two files', files: { a: named('hub', 'h'), b: named('edge', 'e') }, list: ['a', 'b'] },
  { name: 'two files the other way', files: { a: named('hub', 'h'), b: named('edge', 'e') }, list: ['b', 'a'] },
  { name: 'the same file twice', files: { a: named('hub', 'h') }, list: ['a', 'a'] },
  { name: 'a missing file first', files: { b: named('edge', 'e') }, list: ['none', 'b'] },
  { name: 'a missing file last', files: { b: named('edge', 'e') }, list: ['b', 'none'] },
  { name: 'missing files alone', files: {}, list: ['none', 'neither'] },
  { name: 'empty names between files', files: { a: named('hub', 'h') }, list: ['', 'a', ''] },
  { name: 'the home folder', files: { '.kube/config': named('home', 'h') } },
  { name: 'KUBECONFIG that is empty', files: { '.kube/config': named('home', 'h') }, env: { KUBECONFIG: '' } },
  { name: 'no file at all', files: {} },
  {
    name: 'an explicit file before the list',
    files: { a: named('hub', 'h'), x: named('x', 'x') },
    list: ['a'],
    explicit: 'x',
  },
  { name: 'an explicit file that is missing', files: { a: named('hub', 'h') }, list: ['a'], explicit: 'none' },
  { name: 'an explicit folder', files: { 'd/a': '' }, list: [], explicit: 'd' },
  { name: 'a folder in the list', files: { 'd/a': '', b: named('edge', 'e') }, list: ['d', 'b'] },
  { name: 'a file as a folder', files: { a: named('hub', 'h') }, list: ['a/b', 'a'] },
  { name: 'an empty file first', files: { a: '', b: named('edge', 'e') }, list: ['a', 'b'] },
  { name: 'a file of comments', files: { a: '# nothing\n', b: named('edge', 'e') }, list: ['a', 'b'] },
  { name: 'a file that is no YAML', files: { a: named('hub', 'h'), b: 'a: [\n' }, list: ['a', 'b'] },
  {
    name: 'current-context in the second file alone',
    files: { a: named('hub', 'h', { 'current-context': '' }), b: named('edge', 'e') },
    list: ['a', 'b'],
  },
  {
    name: 'current-context of the first file, defined in the second',
    files: { a: { 'current-context': 'edge' }, b: named('edge', 'e', { 'current-context': '' }) },
    list: ['a', 'b'],
  },
  {
    name: 'one user in two files',
    files: { a: config({ user: { token: 'first' } }), b: config({ user: { token: 'second' } }) },
    list: ['a', 'b'],
  },
  {
    name: 'one context in two files',
    files: { a: config({ context: { namespace: 'first' } }), b: config({ context: { namespace: 'second' } }) },
    list: ['a', 'b'],
  },
  {
    name: 'a user of the first file is not completed by the second',
    files: { a: config({ user: { token: 'first' } }), b: config({ user: { as: 'admin' } }) },
    list: ['a', 'b'],
  },
  {
    name: 'cluster, user and context in three files',
    files: {
      a: { contexts: [{ name: 'm', context: { cluster: 'c', user: 'u' } }], 'current-context': 'm' },
      b: { users: [{ name: 'u', user: { token: 'b' } }] },
      c: { clusters: [{ name: 'c', cluster: { server: SERVER, 'certificate-authority-data': 'CA_DATA' } }] },
    },
    list: ['a', 'b', 'c'],
  },
  {
    name: 'relative paths belong to their file',
    files: {
      'x/a': { users: [{ name: 'u', user: { tokenFile: 'token' } }] },
      'x/token': 'of x\n',
      'y/b': config({ cluster: { server: SERVER, 'certificate-authority': '../pki/ca' } }),
      'y/token': 'of y',
      'pki/ca': 'CA_PEM',
    },
    list: ['x/a', 'y/b'],
  },
  one(
    '--context',
    {
      ...named('hub', 'h'),
      contexts: [
        { name: 'hub', context: {} },
        { name: 'o', context: { cluster: 'hub', user: 'hub' } },
      ],
    },
    { context: 'o' },
  ),
  one('--context that is missing', config(), { context: 'none' }),
  one('--context with a broken current-context', config({ more: { 'current-context': 'none' } }), { context: 'main' }),
  {
    name: '--context of the second file',
    files: { a: named('hub', 'h'), b: named('edge', 'e') },
    list: ['a', 'b'],
    context: 'edge',
  },
  one('current-context that is missing', config({ more: { 'current-context': 'none' } })),
  one('no current-context', config({ more: { 'current-context': '' } })),
  one('current-context null', config({ more: { 'current-context': null } })),
  // Contexts, users and clusters that are not whole.
  one('a context without a user', config({ more: { contexts: [{ name: 'main', context: { cluster: 'c' } }] } })),
  one('user ""', config({ context: { user: '' } })),
  one('users []', config({ more: { users: [] } })),
  one('users null', config({ more: { users: null } })),
  one('a user that is null', config({ user: null })),
  one('an unknown user', config({ context: { user: 'nobody' } })),
  one('a context without a cluster', config({ context: { cluster: '' } })),
  one('an unknown cluster', config({ context: { cluster: 'none' } })),
  one('clusters null', config({ more: { clusters: null } })),
  one('a context that is null', config({ more: { contexts: [{ name: 'main', context: null }] } })),
  one(
    'names that are empty',
    config({
      context: { cluster: '', user: '' },
      more: {
        clusters: [{ name: '', cluster: { server: SERVER, 'certificate-authority-data': 'CA_DATA' } }],
        users: [{ name: '', user: { token: 'unnamed' } }],
      },
    }),
  ),
  one(
    'two users of one name in a file',
    config({
      more: {
        users: [
          { name: 'u', user: { token: 'a' } },
          { name: 'u', user: { token: 'b' } },
        ],
      },
    }),
  ),
  one(
    'two clusters of one name in a file',
    config({
      more: {
        clusters: [
          { name: 'c', cluster: { server: SERVER } },
          { name: 'c', cluster: { server: SERVER } },
        ],
      },
    }),
  ),
  one(
    'two contexts of one name in a file',
    config({
      more: {
        contexts: [
          { name: 'main', context: {} },
          { name: 'main', context: { cluster: 'c', user: 'u' } },
        ],
      },
    }),
  ),
  one('a namespace', config({ context: { namespace: 'team-a' } })),
  one('a context without a namespace', config()),
  // Servers.
  one('a path', withCluster({ server: `${SERVER}/k8s/clusters/c-1` })),
  one('a path with a last /', withCluster({ server: `${SERVER}/k8s/clusters/c-1/` })),
  one('a last /', withCluster({ server: `${SERVER}/` })),
  one('two last /', withCluster({ server: `${SERVER}/a//` })),
  one('a query and a fragment', withCluster({ server: `${SERVER}/a?x=y#z` })),
  one('an encoded path', withCluster({ server: `${SERVER}/a%20b` })),
  one('a server without a scheme', withCluster({ server: 'localhost:HTTP_PORT' })),
  one('a server without a scheme, with a path', withCluster({ server: 'localhost:HTTP_PORT/a' })),
  one('an empty server', withCluster({ server: '' })),
  one('a server of another scheme', withCluster({ server: 'ftp://localhost:HTTPS_PORT' })),
  one('a scheme in capitals', withCluster({ server: 'HTTPS://localhost:HTTPS_PORT' })),
  one('a user in the server', withCluster({ server: 'https://me:pw@localhost:HTTPS_PORT' })),
  one('http, without the token', withCluster({ server: 'http://localhost:HTTP_PORT' })),
  one('http without any user', config({ cluster: { server: 'http://localhost:HTTP_PORT' }, user: {} })),
  one(
    'http and impersonation',
    config({
      cluster: { server: 'http://localhost:HTTP_PORT' },
      user: { token: 't', as: 'alice', 'as-groups': ['g'] },
    }),
  ),
  ...[
    'SERVER ',
    ' SERVER',
    'SERVER/a ',
    '//localhost:HTTPS_PORT',
    'https:///localhost:HTTPS_PORT',
    'https:localhost:HTTPS_PORT',
    'https://localhost:HTTPS_PORT?x=y',
    'https://localhost:HTTPS_PORT#x',
    'SERVER/a#b/c',
    'SERVER/a?b/c',
    'SERVER/a%23b',
    'SERVER/a%3Fb',
    'SERVER/a%2Fb',
    'SERVER/a%41b',
    'SERVER/%zz',
    'SERVER/a b',
    'SERVER/a"<b>`{}|^',
    "SERVER/a!'()*[];,@&=+$b",
    'SERVER/\u00e4',
    'SERVER/%ff',
    'SERVER/a/./b',
    'SERVER/a/../b',
    'SERVER/a/%2e%2e/b',
    'SERVER/a\\b',
    'https://localhost\\a:HTTPS_PORT',
    'https://loc\talhost:HTTPS_PORT',
    'https://loc%61lhost:HTTPS_PORT',
    'https://127.0.0.1:0HTTPS_PORT',
    'http://127.1:HTTP_PORT',
    'http://0177.0.0.1:HTTP_PORT',
    'http://127.0.0.01:HTTP_PORT',
    'http://0x7f.0.0.1:HTTP_PORT',
    'http://2130706433:HTTP_PORT',
    'http://127.0.0.1.:HTTP_PORT',
    '127.1:HTTP_PORT',
    'https://127.0.0.1:99999',
    'https://127.0.0.1:0',
  ].map((server) =>
    one(`the server ${JSON.stringify(server)}`, withCluster({ server: server.replace('SERVER', SERVER) })),
  ),
  one('--context that is empty', config({ context: { namespace: 'a' } }), { context: '' }),
  one('--as that is empty', config({ user: { token: 't', as: 'alice' } }), { as: '' }),
  // TLS.
  one('no authority', config({ cluster: { server: SERVER } })),
  one('another authority', withCluster({ 'certificate-authority-data': 'OTHER_CA_DATA' })),
  one('authority as data and file', withCluster({ 'certificate-authority': 'ca' }), { files: { ca: 'CA_PEM' } }),
  one('authority as a file', config({ cluster: { server: SERVER, 'certificate-authority': 'ca' } }), {
    files: { ca: 'CA_PEM' },
  }),
  one('an authority file that is missing', config({ cluster: { server: SERVER, 'certificate-authority': 'none' } })),
  one('an authority file that is empty', config({ cluster: { server: SERVER, 'certificate-authority': 'ca' } }), {
    files: { ca: '' },
  }),
  one('authority data that is no certificate', withCluster({ 'certificate-authority-data': 'aGVsbG8=' })),
  one('authority data that is not base64', withCluster({ 'certificate-authority-data': 'a*' })),
  one('insecure-skip-tls-verify', config({ cluster: { server: SERVER, 'insecure-skip-tls-verify': true } })),
  one('insecure-skip-tls-verify and an authority', withCluster({ 'insecure-skip-tls-verify': true })),
  one('tls-server-name', withCluster({ server: 'https://127.0.0.1:HTTPS_PORT', 'tls-server-name': 'localhost' })),
  one('tls-server-name that is an address', withCluster({ 'tls-server-name': '127.0.0.1' })),
  one('tls-server-name that is an address in brackets', withCluster({ 'tls-server-name': '[127.0.0.1]' })),
  one('tls-server-name that is another address', withCluster({ 'tls-server-name': '127.0.0.9' })),
  one('another tls-server-name', withCluster({ 'tls-server-name': 'other.example' })),
  one('an address instead of a name', withCluster({ server: 'https://127.0.0.1:HTTPS_PORT' })),
  // Users.
  one('a token file', config({ user: { tokenFile: 'token' } }), { files: { token: ' from file \n' } }),
  one('a token and a token file', config({ user: { token: 'field', tokenFile: 'token' } }), {
    files: { token: 'file' },
  }),
  one('a token and a token file that is missing', config({ user: { token: 'field', tokenFile: 'none' } })),
  one('a token and a token file that is empty', config({ user: { token: 'field', tokenFile: 'token' } }), {
    files: { token: '' },
  }),
  one('a token file that is missing', config({ user: { tokenFile: 'none' } })),
  one('a token file that is empty', config({ user: { tokenFile: 'token' } }), { files: { token: '' } }),
  one('a token that is a number', 'users: [{name: u, user: {token: 12345}}]\n'),
  one('a password', config({ user: { username: 'me', password: 'pw:1' } })),
  one('a user name without a password', config({ user: { username: 'me' } })),
  one('a password without a user name', config({ user: { password: 'pw' } })),
  one('a password and a token', config({ user: { username: 'me', password: 'pw', token: 't' } })),
  one('a password and a token file', config({ user: { username: 'me', password: 'pw', tokenFile: 'token' } }), {
    files: { token: 'x' },
  }),
  one(
    'a client certificate',
    config({ user: { 'client-certificate-data': 'CERT_DATA', 'client-key-data': 'KEY_DATA' } }),
  ),
  one(
    'a client certificate and a token',
    config({ user: { token: 't', 'client-certificate-data': 'CERT_DATA', 'client-key-data': 'KEY_DATA' } }),
  ),
  one('a client certificate in files', config({ user: { 'client-certificate': 'crt', 'client-key': 'key' } }), {
    files: { crt: 'CERT_PEM', key: 'KEY_PEM' },
  }),
  one(
    'a client certificate as data, its key as a file',
    config({ user: { 'client-certificate-data': 'CERT_DATA', 'client-key': 'key' } }),
    { files: { key: 'KEY_PEM' } },
  ),
  one(
    'a client certificate as data and file',
    config({
      user: { 'client-certificate-data': 'CERT_DATA', 'client-certificate': 'crt', 'client-key-data': 'KEY_DATA' },
    }),
    { files: { crt: 'CERT_PEM' } },
  ),
  one('a client certificate without a key', config({ user: { 'client-certificate-data': 'CERT_DATA' } })),
  one('a client key without a certificate', config({ user: { token: 't', 'client-key-data': 'KEY_DATA' } })),
  one(
    'a client certificate that is none',
    config({ user: { 'client-certificate-data': 'aGVsbG8=', 'client-key-data': 'KEY_DATA' } }),
  ),
  one(
    'a client certificate file that is missing',
    config({ user: { 'client-certificate': 'none', 'client-key-data': 'KEY_DATA' } }),
  ),
  one(
    'impersonation',
    config({
      user: {
        token: 't',
        as: 'alice',
        'as-uid': '7',
        'as-groups': ['g1', 'g2'],
        'as-user-extra': { 'a/b': ['v1', 'v2'] },
      },
    }),
  ),
  one('impersonation of groups without a user', config({ user: { token: 't', 'as-groups': ['g1'] } })),
  one('--as', config(), { as: 'bob' }),
  one('--as over impersonation', config({ user: { token: 't', as: 'alice', 'as-groups': ['g1'] } }), { as: 'bob' }),
  one('an auth provider without a config', config({ user: { 'auth-provider': { name: 'oidc' } } })),
  ...[
    {},
    { 'idp-issuer-url': 'https://localhost:1' },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c' },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': 'a.b' },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': jwt('{}') },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': jwt('{"exp":1}') },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': jwt('{"exp":1e10}') },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': jwt('{"exp":"9999999999"}') },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': jwt('3') },
    { 'client-id': 'c', 'id-token': jwt('{"exp":9999999999}') },
    { 'idp-issuer-url': 'https://localhost:1', 'client-id': 'c', 'id-token': jwt('{"exp":9999999999.5}') },
  ].map((settings, index) =>
    one(`the auth provider oidc ${index}`, config({ user: { 'auth-provider': { name: 'oidc', config: settings } } })),
  ),
  one('an auth provider that is gone', config({ user: { 'auth-provider': { name: 'gcp', config: {} } } })),
  // Plugins.
  one('a plugin', config({ user: { exec: { ...PLUGIN, env: [{ name: 'PREFIX', value: 'x' }] } } }), executable),
  one('a plugin that is told of the cluster', withClusterInfo(), executable),
  ...[
    'null',
    '3',
    '"<a> & \\u2028"',
    '{"b": 1.0, "a": [null, "\u00fc"]}',
    '{"a": 1}}, {name: client.authentication.k8s.io/exec, extension: {"a": 2}',
  ].map((extension) =>
    one(
      `a plugin that is told of the extension ${extension}`,
      JSON.stringify(withClusterInfo()).replace(
        /"extensions":\[.*?\}\]/,
        `"extensions":[{name: client.authentication.k8s.io/exec, extension: ${extension}}]`,
      ),
      executable,
    ),
  ),
  one(
    'a plugin of v1 without interactiveMode',
    config({ user: { exec: { apiVersion: PLUGIN.apiVersion, command: './plugin' } } }),
    executable,
  ),
  one(
    'a plugin of v1beta1 without interactiveMode',
    config({
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: './plugin',
          env: [{ name: 'ANSWER', value: 'client.authentication.k8s.io/v1beta1' }],
        },
      },
    }),
    executable,
  ),
  one(
    'a plugin that answers in another version',
    config({ user: { exec: { ...PLUGIN, env: [{ name: 'ANSWER', value: 'client.authentication.k8s.io/v1beta1' }] } } }),
    executable,
  ),
  one(
    'a plugin of v1alpha1',
    config({ user: { exec: { ...PLUGIN, apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
    executable,
  ),
  one('a plugin that always asks', config({ user: { exec: { ...PLUGIN, interactiveMode: 'Always' } } }), executable),
  one(
    'a plugin that asks if it can',
    config({ user: { exec: { ...PLUGIN, interactiveMode: 'IfAvailable' } } }),
    executable,
  ),
  one(
    'a plugin with another interactiveMode',
    config({ user: { exec: { ...PLUGIN, interactiveMode: 'Sometimes' } } }),
    executable,
  ),
  one('a plugin that is missing', config({ user: { exec: { ...PLUGIN, command: './none' } } })),
  one('a plugin that is not on the PATH', config({ user: { exec: { ...PLUGIN, command: 'no-such-plugin' } } })),
  one('a plugin without a command', config({ user: { exec: { ...PLUGIN, command: '' } } })),
  one('a plugin that fails', config({ user: { exec: { ...PLUGIN, command: 'false' } } })),
  one('a plugin that is run and fails', config({ user: { exec: { ...PLUGIN, command: './failing-plugin' } } }), {
    files: { 'failing-plugin': '#!/bin/sh\necho >> "$(dirname "$0")/runs"\nexit 1\n' },
  }),
  one('a plugin that says nothing', config({ user: { exec: { ...PLUGIN, command: 'true' } } })),
  one('a plugin and a token', config({ user: { token: 't', exec: { ...PLUGIN, command: 'false' } } })),
  {
    name: 'a plugin in the folder of its file',
    files: { 'x/a': config({ user: { exec: { ...PLUGIN, command: './plugin' } } }), 'x/plugin': PLUGIN_SCRIPT },
    list: ['x/a'],
  },
  // Proxies.
  one('proxy-url', withCluster({ 'proxy-url': 'http://localhost:PROXY_PORT' })),
  one('proxy-url with a password', withCluster({ 'proxy-url': 'http://me:p%40w@localhost:PROXY_PORT' })),
  one('proxy-url with https', withCluster({ 'proxy-url': 'https://localhost:SECURE_PROXY_PORT' })),
  one('proxy-url with socks5', withCluster({ 'proxy-url': 'socks5://localhost:SOCKS_PORT' })),
  one('proxy-url with another scheme', withCluster({ 'proxy-url': 'ftp://localhost:PROXY_PORT' })),
  one('proxy-url without a scheme', withCluster({ 'proxy-url': 'localhost:PROXY_PORT' })),
  one(
    'proxy-url for http',
    config({ cluster: { server: 'http://hub.example:HTTP_PORT', 'proxy-url': 'http://localhost:PROXY_PORT' } }),
  ),
  one('HTTPS_PROXY', withCluster({ server: 'https://hub.example:HTTPS_PORT', 'tls-server-name': 'localhost' }), {
    env: { HTTPS_PROXY: 'http://localhost:PROXY_PORT' },
  }),
  one(
    'https_proxy without a scheme',
    withCluster({ server: 'https://hub.example:HTTPS_PORT', 'tls-server-name': 'localhost' }),
    { env: { https_proxy: 'localhost:PROXY_PORT' } },
  ),
  one('HTTPS_PROXY and this machine', withCluster({}), { env: { HTTPS_PROXY: 'http://localhost:1' } }),
  one('HTTPS_PROXY and NO_PROXY', withCluster({ server: 'https://hub.example:HTTPS_PORT' }), {
    env: { HTTPS_PROXY: 'http://localhost:PROXY_PORT', NO_PROXY: 'a.example, .example' },
  }),
  one('HTTPS_PROXY and proxy-url', withCluster({ 'proxy-url': 'socks5://localhost:SOCKS_PORT' }), {
    env: { HTTPS_PROXY: 'http://localhost:1' },
  }),
  one('HTTP_PROXY for http', config({ cluster: { server: 'http://hub.example:HTTP_PORT' } }), {
    env: { HTTP_PROXY: 'http://localhost:PROXY_PORT' },
  }),
  // Text.
  one('JSON', JSON.stringify(config())),
  one('a CRLF file', text().replaceAll('\n', '\r\n')),
  one('a second document', `${stringify(named('hub', 'h'))}---\n${stringify(named('edge', 'e'))}`),
  one('another kind', config({ more: { kind: 'ConfigMap' } })),
  one('another version', config({ more: { apiVersion: 'v2' } })),
  one('no kind and version', config({ more: { kind: undefined, apiVersion: undefined } })),
  one('unknown fields', config({ more: { unknown: { a: [1] }, preferences: {} } })),
  one('clusters as an object', config({ more: { clusters: { c: { server: SERVER } } } })),
  one(
    'insecure-skip-tls-verify as a text',
    config({ cluster: { server: SERVER, 'insecure-skip-tls-verify': 'true' } }),
  ),
  one('yes for true', `${text().replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: yes')}`),
  ...[
    '1:30',
    '0o17',
    '0x1F',
    '1_000',
    '1e3',
    '.inf',
    '2026-01-01',
    'y',
    '~',
    '=',
    '!!str 3',
    '!own t',
    '"a\\/b"',
    '*t',
    '{a: b}',
    '|\n        t',
  ].map((token) => one(`the token ${token}`, text().replace('token: t', `token: ${token}`))),
  one('y for true', text().replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: y')),
  one('fields that are merged', text().replace('token: t', '<<: {token: merged, as: alice}\n    as: bob')),
  one('a comment after ---', `--- # hub\n${text()}`),
  one('an end of a document', `${text()}...\nmore: [\n`),
  one('a tab', text().replace('token: t', '\ttoken: t')),
  one('a control character', text().replace('token: t', 'token: "\u0007"')),
  one('a byte order mark', `\ufeff${text()}`),
  one('UTF-16', `\ufeff${text()}`, { encoding: 'utf16le' }),
  one('UTF-16 without a byte order mark', text(), { encoding: 'utf16le' }),
  one('Latin-1', text().replace('token: t', 'token: "\u00fc"'), { encoding: 'latin1' }),
  one(
    'a user to be with letters of another alphabet',
    text().replace('token: t', 'token: t\n      as: "J\u00fcrgen \u0416"'),
  ),
  one('a user to be with a line break', text().replace('token: t', 'token: t\n      as: "a\\nb"')),
  one(
    'a password with letters of another alphabet',
    text().replace('token: t', 'username: J\u00fcrgen\n      password: \u0416'),
  ),
  one('a token with letters of another alphabet', text().replace('token: t', 'token: \u00fc\u0416')),
  one('a key twice', `current-context: none\n${text()}`),
  one('an anchor', text().replace('token: t', 'token: &t t\n    as: *t')),
];

function text(): string {
  return stringify(config());
}

function withClusterInfo(): object {
  const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'aud' } }];
  return config({
    cluster: { server: `${SERVER}/p`, 'certificate-authority-data': 'CA_DATA', extensions },
    user: { exec: { ...PLUGIN, provideClusterInfo: true } },
  });
}

/** Two files made from a seed, whose names overlap. */
export function seededCase(seed: number): Case {
  const random = randomOf(seed);
  const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const names = ['one', 'two', ''];
  const entries = (make: (name: string) => object): object[] =>
    names.filter(() => random() < 0.7).map((name) => ({ name, ...make(name) }));
  const file = (id: string): object => ({
    ...(random() < 0.7 ? { 'current-context': pick(...names) } : {}),
    clusters: entries((name) => ({
      cluster: {
        server: `${pick(SERVER, SERVER, SERVER, 'http://localhost:HTTP_PORT')}/${id}${name}${pick('', '/')}`,
        ...pick(
          { 'certificate-authority-data': 'CA_DATA' },
          { 'certificate-authority': 'ca' },
          { 'insecure-skip-tls-verify': true },
        ),
        ...pick({}, {}, { 'tls-server-name': 'localhost' }, { 'proxy-url': 'http://localhost:PROXY_PORT' }),
      },
    })),
    users: entries((name) => ({
      user: {
        ...pick(
          { token: `${id}${name}t` },
          { tokenFile: 'token' },
          { username: `${id}${name}`, password: 'p' },
          { 'client-certificate': 'crt', 'client-key': 'key' },
          {},
        ),
        ...pick({}, {}, { as: `${id}-alice`, 'as-groups': ['g'] }),
      },
    })),
    contexts: entries((name) => ({
      context: {
        cluster: pick(name, ...names),
        user: pick(name, ...names),
        ...pick({}, { namespace: `${id}-${name || 'none'}` }),
      },
    })),
  });
  const beside = (id: string): Record<string, string> => ({
    [`${id}/ca`]: 'CA_PEM',
    [`${id}/token`]: `of ${id}\n`,
    [`${id}/crt`]: 'CERT_PEM',
    [`${id}/key`]: 'KEY_PEM',
  });
  return {
    name: `seed ${seed}`,
    files: { 'a/config': file('a'), 'b/config': file('b'), ...beside('a'), ...beside('b') },
    list: pick(['a/config', 'b/config'], ['b/config', 'a/config'], ['none', 'a/config', 'b/config']),
    ...pick({}, {}, { context: 'one' }),
    ...pick({}, {}, {}, { as: 'carol' }),
  };
}

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
