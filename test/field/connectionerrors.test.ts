import { afterAll, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { ManagedClusters } from '../../src/api/resources.js';
import { withHub, type Hub } from '../../src/cli/hub.js';
import { FailureLog } from '../../src/runtime/cache/retries.js';
import { loginOptions } from '../../src/runtime/kubeconfig/clientnode.js';
import type { Call } from '../../src/runtime/transport/call.js';
import { createTransport, type Transport } from '../../src/runtime/transport/transport.js';
import { CredentialsError, type Credentials } from '../../src/runtime/transport/credentials.js';
import { failureText, ObservedConnection } from '../../src/runtime/connection/failure.js';
import { systemClock, type Clock } from '../../src/runtime/clock.js';
import { ApiError } from '../../src/runtime/errors.js';
import { authority, certificate } from '../runtime/transport/certificate.js';
import { RecordingLog } from '../support/fakes/log.js';

/*
 * The API server cannot be reached, and the command prints `no response: UNABLE_TO_VERIFY_LEAF_SIGNATURE`. People do not know what
 * that is, which server was asked, by which file, and what to do; with a wrong clock they renew certificates that are valid.
 * Right: one sentence says what was tried, what went wrong in words, and what to do; of certificates whose they are, their dates and
 * the local time. The code stays, for searches and programs.
 */

const ca = authority('hub-ca');
const otherCa = authority('other-ca');
const leaf = certificate({ name: 'hub', issuer: ca });
const oldClient = certificate({ name: 'alice', issuer: ca, expired: true });

const servers: TcpServer[] = [];
const sockets = new Set<Socket>();

async function listen(server: TcpServer): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const DENIED =
  'HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 66\r\n\r\n' +
  '{"kind":"Status","message":"Unauthorized","reason":"Unauthorized"}';

const LOGIN = 'HTTP/1.1 302 Found\r\nlocation: https://login.example\r\ncontent-length: 0\r\n\r\n';
const OUTAGE = 'HTTP/1.1 503 Out\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>';
const WHICH = 'is this the address of a Kubernetes API server?';

/** Answers each request with these bytes. */
function answering(bytes: string): (socket: Socket) => void {
  return (socket) => void socket.on('data', () => socket.write(bytes)).on('error', () => undefined);
}

function tls(options: TlsOptions, answer = ANSWER): Promise<number> {
  return listen(createTlsServer(options, answering(answer)).on('tlsClientError', () => undefined));
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const tcp = (serve: (socket: Socket) => void): Promise<number> => listen(createTcpServer(serve));

interface Setup extends Partial<Credentials> {
  readonly port?: number;
  readonly url?: string;
}

const trusting = { ca: ca.cert, rejectUnauthorized: true };
const call: Call = {
  method: 'GET',
  path: '/x',
  target: { verb: 'list', resource: 'placements' },
  idempotent: true,
  attempts: 1,
};

function transportTo(credentials: Credentials, clock: Clock = systemClock): Transport {
  const options = { clock, random: () => 0, log: new RecordingLog(), userAgent: 'test' };
  return createTransport({ load: async () => credentials }, options);
}

/** The error of a call. */
async function failure(
  { port = 0, url = `https://127.0.0.1:${port}`, ...more }: Setup,
  sent: Call = call,
): Promise<ApiError> {
  const credentials: Credentials = {
    server: url,
    origin: 'context "hub" of /home/me/config',
    headers: { Authorization: 'Bearer hidden' },
    tls: trusting,
    ...more,
  };
  const transport = transportTo(credentials);
  const error: unknown = await transport.call(sent).then(
    () => 'an answer',
    (reason: unknown) => reason,
  );
  await transport.close();
  if (error instanceof ApiError) return error;
  throw new Error(`an ApiError was expected, not ${String(error)}`);
}

/** The message without ports, and with names for the times. */
function readable({ message }: ApiError): string {
  const day = 24 * 3600_000;
  const named = (text: string): string => {
    const days = Math.round((Date.parse(text) - Date.now()) / day);
    return days === 0 ? 'NOW' : `${days > 0 ? '+' : ''}${days}d`;
  };
  return message
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, named)
    .replaceAll(/(127\.0\.0\.1|localhost|invalid):\d+/g, '$1:PORT');
}

const FILE = '(context "hub" of /home/me/config)';
const TRIED = `list placements: no response from https://127.0.0.1:PORT ${FILE}`;
const VALID = 'valid from -2d to +365d';
const HUB = `CN=hub, issued by CN=hub-ca, ${VALID}`;
const TRUSTED = `trusted is CN=hub-ca, issued by itself, ${VALID}`;
const GIVE_CA = 'give the certificate authority that issued it (certificate-authority), or correct the address';
const CLOSED =
  'check that the address and port are those of the API server, and the load balancer or firewall before it';
const CHANGE_CLIENT =
  'renew the client certificate or log in again, and compare its authority with the one that the server trusts';
const SCHEME = 'correct scheme (http, https) and port of the address';
const PROXY =
  'correct the proxy (proxy-url of the kubeconfig, else HTTPS_PROXY), or exempt the server from it (NO_PROXY)';

interface Row {
  readonly what: string;
  readonly begin: () => Promise<Setup>;
  readonly code: string;
  readonly says: string;
}

const rows: readonly Row[] = [
  {
    what: 'a port that nobody listens on',
    begin: async () => ({ port: await closedPort() }),
    code: 'ECONNREFUSED',
    says: `${TRIED}: the connection is refused: nothing listens at 127.0.0.1:PORT, or a firewall rejects it (ECONNREFUSED); start the server, or correct host and port of the address`,
  },
  {
    what: 'a name that does not resolve',
    begin: async () => ({ url: 'https://hub.invalid:6443' }),
    code: 'ENOTFOUND',
    says: `list placements: no response from https://hub.invalid:PORT ${FILE}: the name hub.invalid is not known to DNS (ENOTFOUND); correct the host in the address, or the DNS servers and /etc/hosts of this machine`,
  },
  {
    what: 'a certificate that has expired',
    begin: async () => ({ port: await tls(certificate({ name: 'hub', issuer: ca, expired: true })) }),
    code: 'CERT_HAS_EXPIRED',
    says: `${TRIED}: the certificate has expired (CERT_HAS_EXPIRED): CN=hub, issued by CN=hub-ca, valid from -2d to -1d, it is NOW here; renew it, unless the clock of this machine is wrong`,
  },
  {
    what: 'an authority that has expired',
    begin: async () => {
      const old = { name: 'old-ca', ...certificate({ name: 'old-ca', expired: true }) };
      const port = await tls(certificate({ name: 'hub', issuer: old }));
      return { port, tls: { ca: old.cert, rejectUnauthorized: true } };
    },
    code: 'CERT_HAS_EXPIRED',
    says: `${TRIED}: the certificate has expired (CERT_HAS_EXPIRED): CN=old-ca, issued by itself, valid from -2d to -1d, it is NOW here; renew it, unless the clock of this machine is wrong`,
  },
  {
    what: 'a certificate that is not valid yet',
    begin: async () => ({ port: await tls(certificate({ name: 'hub', issuer: ca, early: true })) }),
    code: 'CERT_NOT_YET_VALID',
    says: `${TRIED}: the certificate is not valid yet (CERT_NOT_YET_VALID): CN=hub, issued by CN=hub-ca, valid from +1d to +365d, it is NOW here; set the clock of this machine, or that of the issuer`,
  },
  {
    what: 'a certificate that is signed by itself',
    begin: async () => ({ port: await tls(authority('lonely')) }),
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    says: `${TRIED}: the certificate is signed by itself, and is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): CN=lonely, issued by itself, ${VALID}, it is NOW here; ${TRUSTED}; ${GIVE_CA}`,
  },
  {
    what: 'a certificate of another authority, whose own is sent',
    begin: async () => {
      const { key, cert } = certificate({ name: 'hub', issuer: otherCa });
      return { port: await tls({ key, cert: cert + otherCa.cert }) };
    },
    code: 'SELF_SIGNED_CERT_IN_CHAIN',
    says: `${TRIED}: the certificate comes from an authority that is not trusted (SELF_SIGNED_CERT_IN_CHAIN): CN=hub, issued by CN=other-ca, ${VALID}, it is NOW here; ${TRUSTED}; ${GIVE_CA}`,
  },
  {
    what: 'a certificate of another authority',
    begin: async () => ({ port: await tls(certificate({ name: 'hub', issuer: otherCa })) }),
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    says: `${TRIED}: the certificate comes from an authority that is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE): CN=hub, issued by CN=other-ca, ${VALID}, it is NOW here; ${TRUSTED}; ${GIVE_CA}`,
  },
  {
    what: 'a certificate of an authority with the same name',
    begin: async () => ({ port: await tls(certificate({ name: 'hub', issuer: authority('hub-ca') })) }),
    code: 'CERT_SIGNATURE_FAILURE',
    says: `${TRIED}: the signature of the certificate is wrong: it comes from another authority of the same name, or is damaged (CERT_SIGNATURE_FAILURE): ${HUB}, it is NOW here; ${TRUSTED}; ${GIVE_CA}`,
  },
  {
    what: 'a certificate authority that is none',
    begin: async () => ({ port: await tls(leaf), tls: { ca: 'no PEM', rejectUnauthorized: true } }),
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    says: `${TRIED}: the certificate comes from an authority that is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE): ${HUB}, it is NOW here; the certificate authority that is given has no certificate in PEM; ${GIVE_CA}`,
  },
  {
    what: 'no certificate authority',
    begin: async () => ({ port: await tls(leaf), tls: { rejectUnauthorized: true } }),
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    says: `${TRIED}: the certificate comes from an authority that is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE): ${HUB}, it is NOW here; no certificate authority is given, so the public ones count; ${GIVE_CA}`,
  },
  {
    what: 'a certificate for other names',
    begin: async () => ({ port: await tls(certificate({ name: 'hub', issuer: ca, names: ['hub.internal', 'hub'] })) }),
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    says: `${TRIED}: the certificate is not for 127.0.0.1 (ERR_TLS_CERT_ALTNAME_INVALID): it is for DNS:hub.internal, DNS:hub (${HUB}), it is NOW here; use a name or address that it has, set tls-server-name to one of them, or issue a certificate with the missing one`,
  },
  {
    what: 'a certificate for another name than tls-server-name',
    begin: async () => ({ port: await tls(leaf), tls: { ...trusting, servername: 'inner.example' } }),
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    says: `${TRIED}: the certificate is not for inner.example (ERR_TLS_CERT_ALTNAME_INVALID): it is for DNS:localhost, IP Address:127.0.0.1, DNS:hub.example (${HUB}), it is NOW here; use a name or address that it has, set tls-server-name to one of them, or issue a certificate with the missing one`,
  },
  {
    what: 'plain HTTP where TLS is expected',
    begin: async () => ({ port: await listen(createHttpServer()) }),
    code: 'ERR_SSL_WRONG_VERSION_NUMBER',
    says: `${TRIED}: the server does not answer with TLS: it may be an HTTP server (ERR_SSL_WRONG_VERSION_NUMBER); ${SCHEME}`,
  },
  {
    what: 'TLS where plain HTTP is expected',
    begin: async () => ({ url: `http://127.0.0.1:${await tls(leaf)}` }),
    code: 'UND_ERR_SOCKET',
    says: `list placements: no response from http://127.0.0.1:PORT ${FILE}: the other side has closed the connection before the answer was complete, as a server does that wants TLS (UND_ERR_SOCKET); ${SCHEME}; if they are right, try again`,
  },
  {
    what: 'something else than HTTP',
    begin: async () => ({ url: `http://127.0.0.1:${await tcp((socket) => void socket.write('SSH-2.0-x\r\n'))}` }),
    code: 'HTTPParserError',
    says: `list placements: no response from http://127.0.0.1:PORT ${FILE}: the answer is not HTTP (HTTPParserError); ${SCHEME}`,
  },
  {
    what: 'a port that closes each connection',
    begin: async () => ({ port: await tcp((socket) => void socket.destroy()) }),
    code: 'ECONNRESET',
    says: `${TRIED}: the other side closes the connection during the TLS handshake with 127.0.0.1:PORT: it does not speak TLS, or it rejects this client (ECONNRESET); ${CLOSED}`,
  },
  {
    what: 'a server that closes instead of an answer',
    begin: async () => ({
      port: await listen(createTlsServer(leaf, (socket) => void socket.on('data', () => socket.destroy()))),
    }),
    code: 'UND_ERR_SOCKET',
    says: `${TRIED}: the other side has closed the connection before the answer was complete (UND_ERR_SOCKET); try again; if it stays, look at the log of the API server, and the load balancer or proxy before it`,
  },
  {
    what: 'a server that speaks old TLS alone',
    begin: async () => ({
      port: await tls({ ...leaf, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    }),
    code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    says: `${TRIED}: the server speaks no version of TLS that this program accepts (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION); update the server, or the proxy before it, to TLS 1.2 or later`,
  },
  {
    what: 'a server that wants a client certificate',
    begin: async () => ({ port: await tls({ ...leaf, requestCert: true, ca: ca.cert }) }),
    code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    says: `${TRIED}: the server wants a client certificate (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED): none was sent, it is NOW here; ${CHANGE_CLIENT}`,
  },
  {
    what: '401 for a token in a file',
    begin: async () => ({ port: await tls(leaf, DENIED), presented: 'the token in /run/token' }),
    code: '',
    says: `list placements: https://127.0.0.1:PORT ${FILE} rejects the token in /run/token (401 Unauthorized); log in again, or correct the user: it may be of another cluster, revoked or deleted`,
  },
  {
    what: '401 for a JSON web token that has expired',
    begin: async () => {
      const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
      const claims = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) - 86_400 })).toString('base64url');
      const headers = { Authorization: `Bearer ${header}.${claims}.hidden` };
      return { port: await tls(leaf, DENIED), presented: 'the token of user "a"', headers };
    },
    code: '',
    says: `list placements: https://127.0.0.1:PORT ${FILE} rejects the token of user "a" (401 Unauthorized): it expires at -1d, it is NOW here; renew the credentials or log in again, unless the clock of this machine is wrong`,
  },
  {
    what: '401 for a client certificate that has expired',
    begin: async () => ({
      port: await tls({ ...leaf, requestCert: true, rejectUnauthorized: false }, DENIED),
      presented: 'the client certificate of user "alice"',
      headers: {},
      tls: { ...trusting, ...oldClient },
    }),
    code: '',
    says: `list placements: https://127.0.0.1:PORT ${FILE} rejects the client certificate of user "alice" (401 Unauthorized): certificate CN=alice, issued by CN=hub-ca, valid from -2d to -1d, it is NOW here; renew the credentials or log in again, unless the clock of this machine is wrong`,
  },
  {
    what: 'a proxy that refuses',
    begin: async () => ({
      port: 6443,
      proxy: `http://user:hidden@127.0.0.1:${await tcp(answering('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'))}`,
    }),
    code: 'ERR_PROXY',
    says: `${TRIED} through the proxy http://127.0.0.1:PORT: the proxy opens no way to the server: it answered with 403 (ERR_PROXY); ${PROXY}`,
  },
  {
    what: 'a proxy whose certificate has expired',
    begin: async () => ({
      port: 6443,
      proxy: `https://localhost:${await tls(certificate({ name: 'proxy', issuer: ca, expired: true }))}`,
    }),
    code: 'CERT_HAS_EXPIRED',
    says: `${TRIED} through the proxy https://localhost:PORT: the proxy cannot be reached: the certificate has expired (CERT_HAS_EXPIRED): CN=proxy, issued by CN=hub-ca, valid from -2d to -1d, it is NOW here; ${PROXY}`,
  },
  {
    what: 'a proxy that is not there',
    begin: async () => ({ port: 6443, proxy: `http://user:hidden@127.0.0.1:${await closedPort()}` }),
    code: 'ECONNREFUSED',
    says: `${TRIED} through the proxy http://127.0.0.1:PORT: the proxy cannot be reached: the connection is refused: nothing listens at 127.0.0.1:PORT, or a firewall rejects it (ECONNREFUSED); ${PROXY}`,
  },
];

it.each(rows)('$what is explained in one sentence', async ({ begin, code, says }) => {
  const error = await failure(await begin());

  expect(readable(error)).toBe(says);
  expect(error).toMatchObject({ kind: code === '' ? 'Unauthorized' : 'Transport' });
  if (code !== '') expect(error).toMatchObject({ code, cause: { message: expect.any(String) } });
  expect(error.message).not.toContain('hidden');
});

interface Other {
  readonly authority?: object;
  readonly work?: (hub: Hub) => Promise<unknown>;
}

it('a command names server and context once, whatever is wrong', async () => {
  const page = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 8\r\n\r\nsign in!';
  const folder = mkdtempSync(path.join(tmpdir(), 'connection-'));
  const file = path.join(folder, 'config');
  const messageFor = async (port: number, user: object, other: Other = {}): Promise<string> => {
    const { authority: own = { 'certificate-authority-data': base64(ca.cert) } } = other;
    const { work = ({ transport }: Hub) => transport.call(call) } = other;
    const cluster = { server: `https://127.0.0.1:${port}`, ...own };
    const config = {
      'current-context': 'hub',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'alice', user }],
      contexts: [{ name: 'hub', context: { cluster: 'c', user: 'alice' } }],
    };
    writeFileSync(file, JSON.stringify(config));
    const source = { kind: 'api', kubeconfig: file, context: undefined, impersonate: undefined } as const;
    const command = { version: '1', namespace: undefined, command: 'status' };
    const error: unknown = await withHub(command, source, work).catch(String);
    return String(error)
      .replaceAll(file, 'FILE')
      .replaceAll(/:\d{4,5}\b/g, ':PORT')
      .replace('ApiError: ', '');
  };
  const pair = { 'client-certificate-data': base64(oldClient.cert), 'client-key-data': base64(oldClient.key) };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    command: '/none/plugin',
    installHint: 'get it',
  };
  const messages = [
    await messageFor(await closedPort(), { token: 'hidden' }),
    await messageFor(await tls(leaf, DENIED), pair),
    await messageFor(await tls(leaf, page), { token: 'hidden' }),
    await messageFor(await tls(leaf, LOGIN), { token: 'hidden' }),
    await messageFor(await tls(leaf, OUTAGE), { token: 'hidden' }),
    await messageFor(
      await tls(leaf),
      { token: 'hidden' },
      { work: ({ client }) => client.list(ManagedClusters, undefined) },
    ),
    await messageFor(await tls(leaf), { token: 'hidden' }, { authority: { 'certificate-authority': folder } }),
    await messageFor(await closedPort(), { exec }),
  ];
  rmSync(folder, { recursive: true });

  const server = 'https://127.0.0.1:PORT (context "hub" of FILE)';
  expect(messages).toEqual([
    expect.stringMatching(/^list placements: no response from https:\/\/127\.0\.0\.1:PORT \(context "hub" of FILE\): /),
    expect.stringContaining(
      `list placements: ${server} rejects the client certificate of user "alice" (401 Unauthorized): certificate CN=alice, issued by CN=hub-ca, valid from `,
    ),
    `list placements: ${server} answers with HTTP 200 and no object of the API: ${WHICH}`,
    `list placements: ${server} answers with HTTP 302 and no object of the API: ${WHICH}`,
    `list placements: ${server} answers with HTTP 503 and no object of the API: ${WHICH}`,
    `${server}: list managedclusters.cluster.fleetmgmt.io: malformed response: kind "" where ManagedClusterList was expected: ${WHICH}`,
    expect.stringMatching(/: certificate-authority: .* cannot be read: it is a folder/),
    `${server}: list placements: not sent: credential plugin /none/plugin cannot be started: no such file; get it`,
  ]);
});

it('a plugin that fails runs once for a call, as for kubectl', async () => {
  let runs = 0;
  const load = async (): Promise<Credentials> => {
    runs += 1;
    throw new CredentialsError('credential plugin login failed: exit code 1');
  };
  const options = { clock: systemClock, random: () => 0, log: new RecordingLog(), userAgent: 'test' };

  const calls = [1, 2, 3].map(() => createTransport({ load }, options).call({ ...call, attempts: 4 }));

  await expect(Promise.all(calls)).rejects.toThrow('not sent: credential plugin login failed: exit code 1');
  await Promise.allSettled(calls);
  expect(runs).toBe(calls.length);
});

function oidcLogin(config: Readonly<Record<string, string>>): Promise<unknown> {
  const cluster = { name: 'hub', server: 'https://hub.example', skipTLSVerify: false };
  const user = { name: 'alice', authProvider: { name: 'oidc', config } };
  const runPlugin = (): Promise<never> => Promise.reject(new Error('there is no plugin'));
  return loginOptions(cluster, user, { now: Date.now(), runPlugin });
}

it.each([
  [{}, 'config.idp-issuer-url must be set'],
  [{ 'idp-issuer-url': 'https://issuer' }, 'config.client-id must be set'],
  [
    { 'idp-issuer-url': 'https://issuer', 'client-id': 'c' },
    'there is no id-token, and no refresh-token to renew it: log in again',
  ],
  [{ 'idp-issuer-url': 'https://issuer', 'client-id': 'c', 'id-token': 'hidden' }, 'config.id-token is not a JWT'],
])('auth-provider oidc with %j sends no request without a token', async (config, message) => {
  await expect(oidcLogin(config)).rejects.toThrow(`auth-provider oidc: ${message}`);
});

it('a port of 0 is named, which Node leaves out', async () => {
  expect((await failure({ url: 'https://127.0.0.1:0' })).message).toContain('nothing listens at 127.0.0.1:0, or');
});

it('several addresses are all named, that which answers first', () => {
  const of = (code: string, address: string): Error =>
    Object.assign(new Error(code), { code, address, port: 6443, syscall: 'connect' });
  const both = new AggregateError([of('ECONNREFUSED', '::1'), of('ECONNREFUSED', '127.0.0.1')]);
  const mixed = new AggregateError([of('ENETUNREACH', '2001:db8::1'), of('ETIMEDOUT', '192.0.2.1')]);
  const attempted = { server: 'https://hub.example:6443' };

  expect(failureText(both, attempted, 0)).toContain('nothing listens at [::1]:6443 and 127.0.0.1:6443,');
  expect(failureText(mixed, attempted, 0)).toContain(
    'nothing answers at 192.0.2.1:6443 (ETIMEDOUT), and no route leads to the network of [2001:db8::1]:6443 (ENETUNREACH); check',
  );
});

it('an error of OpenSSL that is in the text of EPROTO alone is found there', () => {
  const message =
    'write EPROTO 80FC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl3_record.c:350:';

  expect(failureText(Object.assign(new Error(message), { code: 'EPROTO' }), { server: 'https://hub' }, 0)).toBe(
    `no response from https://hub: the server does not answer with TLS: it may be an HTTP server (ERR_SSL_WRONG_VERSION_NUMBER); ${SCHEME}`,
  );
});

it('a port that accepts and is silent is not the same as one that nothing answers at', async () => {
  const late = (isOpen: boolean): Error => {
    const connection = new ObservedConnection(new EventEmitter(), isOpen);
    return connection.failed(Object.assign(new Error('late'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
  };
  const textOf = (isOpen: boolean): string => failureText(late(isOpen), { server: 'https://hub:6443' }, 0);

  expect(textOf(false)).toContain('nothing answers at hub:6443 within 5 s (UND_ERR_CONNECT_TIMEOUT)');
  expect(textOf(true)).toContain('hub:6443 accepts the connection, and does not end the TLS handshake within 5 s');
});

it('a server of Go that wants TLS answers plain HTTP with 400, which says so', async () => {
  const bytes = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';
  const error = await failure({
    url: `http://127.0.0.1:${await tcp((socket) => void socket.once('data', () => socket.end(bytes)))}`,
  });

  expect(error.kind).toBe('Invalid');
  expect(readable(error)).toBe(
    `list placements: http://127.0.0.1:PORT ${FILE} answers with HTTP 400 and no object of the API; it may want TLS: ${SCHEME}`,
  );
});

it('a token of an OIDC issuer that is not renewed is an error that names the issuer', async () => {
  const issuer = `https://127.0.0.1:${await closedPort()}`;
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const config = {
    'client-id': 'kubectl',
    'idp-issuer-url': issuer,
    'id-token': `${part({ alg: 'none' })}.${part({ exp: 1 })}.hidden`,
    'refresh-token': 'hidden',
  };

  await expect(oidcLogin(config)).rejects.toThrow(
    `auth-provider oidc: the token has expired, and the issuer "${issuer}" has not renewed it; a command of kubectl with this kubeconfig renews and stores it, or log in again`,
  );
});

it('a write whose TLS connection is damaged after it was sent is not sent again', async () => {
  let requests = 0;
  let damage = (): void => undefined;
  const behind = await listen(
    createTlsServer(leaf, (socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (bytes: Buffer) => {
          requests += bytes.toString('latin1').startsWith('POST ') ? 1 : 0;
          damage();
        });
    }),
  );
  const port = await tcp((socket) => {
    damage = () => void socket.write('this is no TLS');
    const server = connect(behind, '127.0.0.1').on('error', () => undefined);
    socket.pipe(server).pipe(socket);
  });
  const error = await failure({ port }, { ...call, method: 'POST', idempotent: false, attempts: 4 });

  expect(error.code).toMatch(/^ERR_SSL_/);
  expect(requests).toBe(1);
});

it('a fault that stays shows the time of each attempt, and is logged once', async () => {
  const clock = new ManualClock();
  const port = await tls(certificate({ name: 'hub', issuer: ca, expired: true }));
  const transport = transportTo({ server: `https://127.0.0.1:${port}`, headers: {}, tls: trusting }, clock);
  const texts: string[] = [];
  const log = new RecordingLog();
  const logged = new FailureLog(log);
  for (let minute = 0; minute < 3; minute++) {
    const error = String(await transport.call(call).catch((reason: unknown) => reason));
    texts.push(/it is (\S+) here/.exec(error)?.[1] ?? error);
    logged.failed({ resource: 'nodes', kind: 'Transport', error, listing: true });
    await clock.advance(60_000);
  }
  await transport.close();

  expect(texts).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']);
  expect(log.lines.map(({ level }) => level)).toEqual(['info', 'debug', 'debug']);
});

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
