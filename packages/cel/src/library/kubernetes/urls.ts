import { Library } from '../../language/signature.js';
import { EvaluationError, noSuchOverload } from '../../language/error.js';
import { LiteralMap, Opaque, ValueList, type Value } from '../../language/value.js';
import { hostName, parseUrl, port, queryPairs, urlProblem, type Url } from './url.js';
import { textOf } from '../operators.js';

class UrlValue extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly url: Url;

  constructor(text: string, url: Url) {
    super();
    this.text = text;
    this.url = url;
  }

  override get goText(): string {
    return `(*url.URL)${this.text}`;
  }

  equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

/** The Kubernetes library of URLs. */
export function urls(): Library {
  const library = new Library();
  const get = (name: string, id: string, read: (url: Url) => string): void => {
    library.add(id, `kubernetes.URL.${name}(): string`, ([value]) => read(urlOf(value)));
  };
  library.add('string_to_url', 'url(string): kubernetes.URL', ([text]) => toUrl(textOf(text)));
  library.add('is_url_string', 'isURL(string): bool', ([text]) => urlProblem(textOf(text)) === undefined);
  get('getScheme', 'url_get_scheme', ({ scheme }) => scheme);
  get('getHost', 'url_get_host', ({ host }) => host);
  get('getHostname', 'url_get_hostname', hostName);
  get('getPort', 'url_get_port', port);
  get('getEscapedPath', 'url_get_escaped_path', ({ path }) => path);
  library.add('url_get_query', 'kubernetes.URL.getQuery(): map(string, list(string))', ([value]) =>
    queryOf(urlOf(value)),
  );
  return library;
}

function queryOf(url: Url): LiteralMap {
  const map = new LiteralMap();
  for (const [name, values] of queryPairs(url)) map.insert(name, new ValueList([...values]));
  return map;
}

function toUrl(text: string): UrlValue {
  const url = parseUrl(text);
  if (url === undefined)
    throw new EvaluationError(`URL parse error during conversion from string: ${urlProblem(text) ?? ''}`);
  return new UrlValue(text, url);
}

function urlOf(value: Value | undefined): Url {
  if (value instanceof UrlValue) return value.url;
  throw noSuchOverload();
}
