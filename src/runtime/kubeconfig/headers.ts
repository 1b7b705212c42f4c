import { KubeconfigError } from './kubeconfigerror.js';

// oxlint-disable-next-line no-control-regex -- what a header may not have, as for Go
const CONTROL = /[\0-\b\n-\x1f\x7f]/;

/**
 * Headers as Go sends them: in UTF-8, of which Node takes each byte as a character.
 * @throws KubeconfigError for a value with a line break, which names the header alone: the value may be a secret
 */
export function headersOf(
  values: Readonly<Record<string, string | string[]>>,
  origin: string,
): Record<string, string | string[]> {
  const sent = (name: string, value: string): string => {
    if (CONTROL.test(value))
      throw new KubeconfigError(`${origin}: the header ${name} would have a line break or another control character`);
    return Buffer.from(value).toString('latin1');
  };
  const entries = Object.entries(values).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? sent(name, value) : value.map((one) => sent(name, one)),
  ]);
  return Object.fromEntries(entries);
}
