import { rowsOf, type Explanation } from './explanation.js';

const NAME = 'correct the host in the address, or the DNS servers and /etc/hosts of this machine';
const DNS = 'check the network and the DNS servers of this machine (/etc/resolv.conf)';
const ROUTE =
  'check the network of this machine: its connection, VPN, routes and firewall, and the host in the address';
const SCHEME = 'correct scheme (http, https) and port of the address; if they are right, try again';
const FILES = 'raise the limit (ulimit -n), or end what holds the files open';
const CLOSED =
  'check that the address and port are those of the API server, and the load balancer or firewall before it';
const BROKEN = 'try again; if it stays, look at the log of the API server, and the load balancer or proxy before it';

/** Codes of libuv that users meet: DNS, connections, limits of the machine. */
export const NETWORK_CODES: readonly Explanation[] = [
  ...rowsOf('name', [
    ['ENOTFOUND', 'the name {host} is not known to DNS', NAME],
    ['EAI_AGAIN', 'no DNS server answers for the name {host}', DNS],
    ['EAI_*', 'the name {host} cannot be resolved: {words}', DNS],
  ]),
  ...rowsOf('network', [
    [
      'ECONNREFUSED',
      'the connection is refused: nothing listens at {at}, or a firewall rejects it',
      'start the server, or correct host and port of the address',
    ],
    ['ECONNRESET', 'the other side resets the connection to {at}', CLOSED, 'connect'],
    [
      'ECONNRESET',
      'the other side closes the connection during the TLS handshake with {at}: it does not speak TLS, or it rejects this client',
      CLOSED,
      'handshake',
    ],
    ['ECONNRESET', 'the other side has reset the connection before the answer was complete', BROKEN],
    [
      'ECONNRESET',
      'the other side has reset the connection before the answer was complete, as a server does that wants TLS',
      SCHEME,
      'plain',
    ],
    ['EPIPE', 'the other side has closed the connection while the request was being sent', BROKEN],
    ['ETIMEDOUT', 'nothing answers at {at}', ROUTE],
    ['ETIMEDOUT', 'the other side does not answer any more', BROKEN, 'exchange'],
    ['EHOSTUNREACH', 'no route leads to {at}', ROUTE],
    ['ENETUNREACH', 'no route leads to the network of {at}', ROUTE],
    ['EACCES', 'this machine does not permit the connection to {at}', 'check its firewall and security policy'],
    ['EPERM', 'this machine does not permit the connection to {at}', 'check its firewall and security policy'],
    ['EPROTO', 'the other side does not speak TLS as expected: {words}', CLOSED],
  ]),
  ...rowsOf('machine', [
    ['EMFILE', 'this process has too many open files', FILES],
    ['ENFILE', 'this machine has too many open files', FILES],
    [
      'EADDRNOTAVAIL',
      'this machine has no address or free port for a connection to {at}',
      'end what holds many connections, or check its addresses',
    ],
  ]),
];

/** Every other code of the system. */
export const OTHER_SYSTEM_CODES: readonly Explanation[] = rowsOf('network', [
  ['UNKNOWN', 'the system reports an error without a name', ROUTE],
  ['E*', 'the system reports: {words}', ROUTE],
]);

const NO_HTTP = 'correct scheme (http, https) and port of the address';
const SLOW = 'look at the load and the log of the API server, and the load balancer or proxy before it';
const BUG = 'report it with this line: it is a fault of this program';

/** Codes of undici and its HTTP parser, of Node's HTTP, and of the proxies. */
export const HTTP_CODES: readonly Explanation[] = [
  ...rowsOf('proxy', [
    [
      'ERR_PROXY',
      'the proxy opens no way to the server: {words}',
      'correct the proxy (proxy-url of the kubeconfig, else HTTPS_PROXY), or exempt the server from it (NO_PROXY)',
    ],
    ['UND_ERR_PRX_TLS', 'the TLS connection to the proxy has failed', 'correct the scheme of the proxy'],
  ]),
  ...rowsOf('network', [
    ['UND_ERR_CONNECT_TIMEOUT', 'nothing answers at {at} within 5 s', ROUTE],
    [
      'UND_ERR_CONNECT_TIMEOUT',
      '{at} accepts the connection, and does not end the TLS handshake within 5 s',
      'check that the port is that of the API server, and the load balancer or firewall before it',
      'handshake',
    ],
    ['UND_ERR_SOCKET', 'the other side has closed the connection before the answer was complete', BROKEN],
    [
      'UND_ERR_SOCKET',
      'the other side has closed the connection before the answer was complete, as a server does that wants TLS',
      SCHEME,
      'plain',
    ],
    ['ERR_STREAM_*', 'the connection was closed before the answer was complete', BROKEN],
  ]),
  ...rowsOf('http', [
    ['UND_ERR_HEADERS_TIMEOUT', 'the server has accepted the request, and does not answer', SLOW],
    ['UND_ERR_BODY_TIMEOUT', 'the server has begun to answer, and stopped', SLOW],
    ['UND_ERR_DESTROYED', 'the connections were closed, since this program ends', BROKEN],
    ['UND_ERR_ABORT*', 'the request was ended by this program', BROKEN],
    [
      'UND_ERR_INVALID_ARG',
      'the request cannot be sent: its address, or a header made from the credentials, has a character that is not allowed',
      'correct the address, the token or the user name',
    ],
    [
      'ERR_INVALID_CHAR',
      'a header made from the credentials has a character that is not allowed',
      'correct the token or the user name',
    ],
    ['ERR_INVALID_URL', 'the address of the server is not a URL', 'correct it'],
    ['UND_ERR*', 'the HTTP client has failed: {words}', BROKEN],
    ['HTTPParserError', 'the answer is not HTTP', NO_HTTP],
    ['HPE_*', 'the answer is not HTTP: {words}', NO_HTTP],
    ['ERR_HTTP*', 'HTTP has failed: {words}', BROKEN],
    ['ERR_SOCKET_*', 'the connection has failed: {words}', BROKEN],
    ['ERR_*', 'the connection has failed: {words}', BUG],
  ]),
];
