import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** A key pair and its certificate, in PEM. */
export interface Pair {
  readonly key: string;
  readonly cert: string;
}

interface Subject {
  readonly name: string;
  /** Who signs; the pair signs itself when absent. */
  readonly issuer?: Pair & { readonly name: string };
  /** Ends before now. */
  readonly expired?: boolean;
  /** Begins after now. */
  readonly early?: boolean;
  /** DNS names, instead of `localhost`, 127.0.0.1 and `hub.example`. */
  readonly names?: readonly string[];
}

/** A certificate authority of its own, good for signing leaves for `localhost` and for clients. */
export function authority(name: string): Pair & { readonly name: string } {
  return { name, ...certificate({ name }) };
}

/** P-256, valid for `localhost`, 127.0.0.1 and `hub.example`. Just enough of X.509 for a test: Node has no writer for it. */
export function certificate(subject: Subject): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const algorithm = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const body = sequence(
    tagged(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    commonName(subject.issuer?.name ?? subject.name),
    sequence(utcTime(subject.early === true ? 1 : -2), utcTime(subject.expired === true ? -1 : 365)),
    commonName(subject.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(subject.issuer === undefined ? isAuthority() : namesOf(subject))),
  );
  const signature = createSign('sha256')
    .update(body)
    .sign(subject.issuer?.key ?? key);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` };
}

function isAuthority(): Buffer {
  const constraints = sequence(der(0x01, Buffer.from([0xff])));
  return sequence(oid([0x55, 0x1d, 0x13]), der(0x01, Buffer.from([0xff])), der(0x04, constraints));
}

function namesOf({ names }: Subject): Buffer {
  const name = (text: string): Buffer => der(0x82, Buffer.from(text));
  const local = [name('localhost'), der(0x87, Buffer.from([127, 0, 0, 1])), name('hub.example')];
  const all = sequence(...(names?.map(name) ?? local));
  return sequence(oid([0x55, 0x1d, 0x11]), der(0x04, all));
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)))));
}

function utcTime(days: number): Buffer {
  const time = new Date(Date.now() + days * 86_400_000).toISOString();
  return der(0x17, Buffer.from(`${time.slice(2, 19).replace(/[-:T]/g, '')}Z`));
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function tagged(tag: number, part: Buffer): Buffer {
  return der(tag, part);
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
