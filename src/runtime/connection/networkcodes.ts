import { rowsOf, type Explanation } from './explanation.js';

/** Codes of libuv: DNS, connections, limits of the machine. */

const NAME = 'correct the host in the address, or the DNS servers and /etc/hosts of this machine';
const DNS = 'check the network and the DNS servers of this machine (/etc/resolv.conf)';
const ROUTE =
  'check the network of this machine: its connection, VPN, routes and firewall, and the host in the address';
const SCHEME = 'correct scheme (http, https) and port of the address; if they are right, try again';
const FILES = 'raise the limit (ulimit -n), or end what holds the files open';
const MEMORY = 'free some, or give this process more';
const CLOSED =
  'check that the address and port are those of the API server, and the load balancer or firewall before it';
const BROKEN = 'try again; if it stays, look at the log of the API server, and the load balancer or proxy before it';

export const NETWORK_CODES: readonly Explanation[] = [
  ...rowsOf('name', [
    ['ENOTFOUND', 'the name {host} is not known to DNS', NAME],
    ['EAI_AGAIN', 'no DNS server answers for the name {host}', DNS],
    ['EAI_FAIL', 'the DNS server reports a failure for the name {host}', DNS],
    ['EAI_NODATA', 'DNS knows the name {host}, and no address for it', NAME],
    ['EAI_NONAME', 'the name {host} is not known to DNS', NAME],
    ['EAI_ADDRFAMILY', 'the name {host} has no address of the kind (IPv4, IPv6) that this machine uses', NAME],
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
    ['ECONNABORTED', 'this machine has ended the connection to {at}', 'check its network and VPN, and try again'],
    ['EPIPE', 'the other side has closed the connection while the request was being sent', BROKEN],
    ['ESHUTDOWN', 'the connection was closed while the request was being sent', BROKEN],
    ['ENOTCONN', 'the connection was closed while the request was being sent', BROKEN],
    ['ETIMEDOUT', 'nothing answers at {at}', ROUTE],
    ['ETIMEDOUT', 'the other side does not answer any more', BROKEN, 'exchange'],
    ['EHOSTUNREACH', 'no route leads to {at}', ROUTE],
    ['EHOSTDOWN', 'the host of {at} is down', ROUTE],
    ['ENETUNREACH', 'no route leads to the network of {at}', ROUTE],
    ['ENETDOWN', 'the network of this machine is down', ROUTE],
    ['ENONET', 'this machine has no network', ROUTE],
    ['ENETRESET', 'the network has dropped the connection', ROUTE],
    ['EACCES', 'this machine does not permit the connection to {at}', 'check its firewall and security policy'],
    ['EPERM', 'this machine does not permit the connection to {at}', 'check its firewall and security policy'],
    [
      'EAFNOSUPPORT',
      'this machine cannot connect to addresses like {at}: it lacks IPv4 or IPv6',
      'use an address of the other kind',
    ],
    ['EPROTONOSUPPORT', 'this machine does not support the protocol for {at}', 'use an address of another kind'],
    ['EINVAL', 'the address {at} cannot be connected to', 'correct host and port of the address'],
    ['EPROTO', 'the other side does not speak TLS as expected: {words}', CLOSED],
  ]),
  ...rowsOf('machine', [
    ['EMFILE', 'this process has too many open files', FILES],
    ['ENFILE', 'this machine has too many open files', FILES],
    ['ENOBUFS', 'this machine has no memory for another connection', MEMORY],
    ['ENOMEM', 'this machine has no memory left', MEMORY],
    [
      'EADDRNOTAVAIL',
      'this machine has no address or free port for a connection to {at}',
      'end what holds many connections, or check its addresses',
    ],
    ['EADDRINUSE', 'this machine has no free port for a connection to {at}', 'end what holds many connections'],
  ]),
];

/** Every other code of the system. */
export const OTHER_SYSTEM_CODES: readonly Explanation[] = rowsOf('network', [
  ['UNKNOWN', 'the system reports an error without a name', ROUTE],
  ['E*', 'the system reports: {words}', ROUTE],
]);
