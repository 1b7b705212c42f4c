import { rowsOf, type Explanation } from './explanation.js';

/** Codes of undici and its HTTP parser, of Node's HTTP, and of the proxies. */

const BROKEN = 'try again; if it stays, look at the log of the API server, and the load balancer or proxy before it';
const NO_HTTP = 'correct scheme (http, https) and port of the address';
const SLOW = 'look at the load and the log of the API server, and the load balancer or proxy before it';
const BUG = 'report it with this line: it is a fault of this program';

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
    [
      'UND_ERR_CONNECT_TIMEOUT',
      'nothing answers at {at} within 5 s',
      'check the network of this machine: its connection, VPN, routes and firewall, and the host in the address',
    ],
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
      'correct scheme (http, https) and port of the address; if they are right, try again',
      'plain',
    ],
    ['ERR_SOCKET_CONNECTION_TIMEOUT', 'nothing answers at {at}', BROKEN],
    ['ERR_SOCKET_*', 'the connection has failed: {words}', BROKEN],
    ['ERR_STREAM_*', 'the connection was closed before the answer was complete', BROKEN],
  ]),
  ...rowsOf('http', [
    ['UND_ERR_HEADERS_TIMEOUT', 'the server has accepted the request, and does not answer', SLOW],
    ['UND_ERR_BODY_TIMEOUT', 'the server has begun to answer, and stopped', SLOW],
    ['UND_ERR_HEADERS_OVERFLOW', 'the headers of the answer are too long', BROKEN],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the answer is shorter or longer than announced', BROKEN],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'the answer is too long', BROKEN],
    ['UND_ERR_RESPONSE', 'the answer cannot be used', BROKEN],
    ['UND_ERR_DESTROYED', 'the connections were closed, since this program ends', BROKEN],
    ['UND_ERR_CLOSED', 'the connections were closed, since this program ends', BROKEN],
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
    ['UND_ERR*', 'the HTTP client has failed: {words}', BUG],
    ['HTTPParserError', 'the answer is not HTTP', NO_HTTP],
    ['HPE_HEADER_OVERFLOW', 'the headers of the answer are too long', BROKEN],
    ['HPE_INVALID_EOF_STATE', 'the other side has closed the connection before the answer was complete', BROKEN],
    ['HPE_CLOSED_CONNECTION', 'the server sends more than its answer', BROKEN],
    ['HPE_*', 'the answer is not HTTP: {words}', NO_HTTP],
    ['ERR_HTTP*', 'HTTP has failed: {words}', BROKEN],
    ['ERR_*', 'the connection has failed: {words}', BUG],
  ]),
];
