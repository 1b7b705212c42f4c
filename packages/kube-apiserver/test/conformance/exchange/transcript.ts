/** A request and its expected response. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Headers in order, with the names as written. */
  readonly headers: readonly (readonly [string, string])[];
  /** Sent unchanged; undefined where there is none. */
  readonly body: string | undefined;
  /** Lines `CODE [TYPE]`, `Warning: …`, then the body as one line of JSON. Empty before the first recording. */
  readonly response: readonly string[];
}

/** A sequence of requests in a namespace of its own. */
export interface Scenario {
  readonly title: string;
  readonly exchanges: readonly Exchange[];
}

/** Header lines, which precede the body. */
const HEADER = /^(Accept|Content-Type|If-None-Match|Impersonate-User|User-Agent|Show|Until): (.*)$/;

/**
 * Parses `## title`, then requests (`> METHOD path`, `> Header: value`, then the body) with their responses (lines that
 * begin with `< `).
 */
export function readExchanges(text: string): Scenario[] {
  const scenarios: { title: string; exchanges: Exchange[] }[] = [];
  let requestLines: string[] = [];
  let answer: string[] = [];
  const close = (): void => {
    if (requestLines.length > 0) scenarios.at(-1)?.exchanges.push(exchangeOf(requestLines, answer));
    requestLines = [];
    answer = [];
  };
  for (const line of text.split('\n')) {
    if (/^> (GET|POST|PUT|PATCH|DELETE|SERVED) /.test(line) || line.startsWith('## ')) close();
    if (line.startsWith('## ')) scenarios.push({ title: line.slice(3), exchanges: [] });
    else if (line.startsWith('>')) requestLines.push(line.slice(2));
    else if (line.startsWith('<')) answer.push(line.slice(2));
    else if (line !== '') throw new Error(`${JSON.stringify(line)}: must begin with ##, > or <`);
  }
  close();
  return scenarios;
}

function exchangeOf([first = '', ...rest]: readonly string[], answer: readonly string[]): Exchange {
  const [, method = '', target = ''] = /^([A-Z]+) (\/.*)$/.exec(first) ?? [];
  if (method === '') throw new Error(`${JSON.stringify(first)}: must be a method and a path`);
  const end = rest.findIndex((line) => !HEADER.test(line));
  const headers = (end === -1 ? rest : rest.slice(0, end)).map((line): [string, string] => [
    HEADER.exec(line)?.[1] ?? '',
    HEADER.exec(line)?.[2] ?? '',
  ]);
  return { method, target, headers, body: end === -1 ? undefined : rest.slice(end).join('\n'), response: answer };
}

/** The inverse of {@link readExchanges}. */
export function writeExchanges(scenarios: readonly Scenario[]): string {
  const blocks = scenarios.map(({ title, exchanges }) => [`## ${title}`, ...exchanges.flatMap(linesOf), ''].join('\n'));
  return blocks.join('\n');
}

function linesOf({ method, target, headers, body, response: answer }: Exchange): string[] {
  const requestLines = [
    `${method} ${target}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : body.split('\n')),
  ];
  return [...requestLines.map((line) => `> ${line}`), ...answer.map((line) => `< ${line}`)];
}
