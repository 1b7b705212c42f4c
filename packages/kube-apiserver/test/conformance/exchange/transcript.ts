/** One request of a transcript and the answer that it must get. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names as they were written, in order. */
  readonly headers: readonly (readonly [string, string])[];
  /** Sent as it stands; undefined for none. */
  readonly body: string | undefined;
  /** Of the answer: `CODE [TYPE]`, `Warning: …`, then what it holds, as one line of JSON. Empty for one that was not recorded yet. */
  readonly response: readonly string[];
}

/** Requests that belong together, in a namespace of their own. */
export interface Scenario {
  readonly title: string;
  readonly exchanges: readonly Exchange[];
}

/** What a line may be before the body begins. */
const HEADER = /^(Accept|Content-Type|If-None-Match|Impersonate-User|User-Agent|Show|Until): (.*)$/;

/**
 * Reads `## title`, then requests (`> METHOD path`, `> Header: value`, then the body) with their answers (lines that begin with `< `).
 */
export function readExchanges(text: string): Scenario[] {
  const scenarios: { title: string; exchanges: Exchange[] }[] = [];
  let said: string[] = [];
  let answer: string[] = [];
  const close = (): void => {
    if (said.length > 0) scenarios.at(-1)?.exchanges.push(exchangeOf(said, answer));
    said = [];
    answer = [];
  };
  for (const line of text.split('\n')) {
    if (/^> (GET|POST|PUT|PATCH|DELETE|SERVED) /.test(line) || line.startsWith('## ')) close();
    if (line.startsWith('## ')) scenarios.push({ title: line.slice(3), exchanges: [] });
    else if (line.startsWith('>')) said.push(line.slice(2));
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

/** {@link readExchanges} the other way round. */
export function writeExchanges(scenarios: readonly Scenario[]): string {
  const blocks = scenarios.map(({ title, exchanges }) => [`## ${title}`, ...exchanges.flatMap(linesOf), ''].join('\n'));
  return blocks.join('\n');
}

function linesOf({ method, target, headers, body, response: answer }: Exchange): string[] {
  const said = [
    `${method} ${target}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : body.split('\n')),
  ];
  return [...said.map((line) => `> ${line}`), ...answer.map((line) => `< ${line}`)];
}
