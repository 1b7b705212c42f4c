/**
 * How far an attempt has come. `proxy`: at the proxy; `handshake`: TLS; `exchange`: the connection was open; `plain`: the same
 * without TLS.
 */
export type Phase = 'proxy' | 'connect' | 'handshake' | 'exchange' | 'plain';

/** What a code is about. It decides which details a sentence has beside its words. */
export type Area =
  | 'name' // DNS
  | 'network'
  | 'machine' // a limit of this machine
  | 'proxy'
  | 'certificate' // of the server
  | 'authority' // the certificate of the server, whose issuer is not trusted
  | 'certificate name' // the certificate of the server, which is for others
  | 'client certificate'
  | 'tls'
  | 'http';

/**
 * The words for a code. Placeholders: `{at}`, the addresses that were tried; `{host}`, the name in the address of the server
 * or the proxy; `{name}`, the name that the certificate must have; `{words}`, what the program says that gave the code.
 */
export interface Explanation {
  readonly area: Area;
  /** A code of Node, OpenSSL or undici, `*` stands for any text. A code without `*` goes first, then the order of the table. */
  readonly code: string;
  /** Only while this goes on; goes before a row without it. */
  readonly during?: Phase;
  readonly what: string;
  readonly remedy: string;
}

/** Rows of one area. */
export function rowsOf(
  area: Area,
  rows: readonly (readonly [code: string, what: string, remedy: string, during?: Phase])[],
): readonly Explanation[] {
  return rows.map(([code, what, remedy, during]) => ({
    area,
    code,
    what,
    remedy,
    ...(during === undefined ? {} : { during }),
  }));
}
