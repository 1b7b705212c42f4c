import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseBody } from '../../../src/gateway/request/objectbody.js';
import type { Json } from '@multicluster-engine/values/json';
import { MAX_DEPTH, MAX_NODES } from '@multicluster-engine/values/read/strict';
import { checkHeaders, headerMap } from '../../../src/gateway/request/headers.js';
import { acceptedType, formatOf, wantsRepresentation, type Format } from '../../../src/gateway/request/media.js';
import { ifMatchRevision } from '../../../src/gateway/request/precondition.js';
import { StatusError } from '../../../src/gateway/statuserror.js';
import { isSubdomain, matchRoute, ROUTES } from '../../../src/gateway/request/routes.js';
import { tokenOf } from '../../../src/gateway/server/requesthead.js';
import { writeYaml } from '@multicluster-engine/values/read/strictyaml';

const RUNS = { numRuns: 1_000 };
const LARGEST = 64 * 1024;
const CPU_MS = 50;
const PROTOTYPE = JSON.stringify(Object.getOwnPropertyDescriptors(Object.prototype), (_key, value: unknown) =>
  typeof value === 'function' ? value.name : value,
);

/** Runs it and catches a StatusError; any other error is thrown. */
function refusedOr<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** The least CPU time of several runs, in ms: the machine may be busy. */
function cost(run: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 12 && least > CPU_MS / 2; round++) {
    const begun = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begun);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** A plain body of 64 KiB, which takes 5 ms on a machine for which the limit is chosen. */
const PLAIN = Buffer.from(Array.from({ length: 4_800 }, (_, index) => `key${index}: word\n`).join('')).subarray(
  0,
  LARGEST - 64,
);

/** Whether a parser is too slow: over the limit, also relative to the plain body (slow machines, coverage). */
function tooMuch(ms: number): boolean {
  return ms > CPU_MS && ms > 10 * cost(() => refusedOr(() => parseBody(PLAIN, 'yaml')));
}

/** Tokens of both syntaxes, so that random texts are often nearly valid. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ': ',
  '"',
  "'",
  '\n',
  '\n  ',
  '\n    ',
  '- ',
  '? ',
  '& ',
  '&a ',
  '*a',
  '!',
  '!!str ',
  '|',
  '>',
  '%',
  '#',
  ' #',
  '---',
  '...',
  '<<',
  '~',
  'null',
  'true',
  '0',
  '-1',
  '1e9',
  '0x',
  'a',
  'key',
  '\\',
  '\\u',
  '\\ud800',
  '\t',
  '\r',
  '\0',
  '\u{feff}',
  '__proto__',
  'constructor',
  '"__proto__":',
  'é',
  '😀',
];
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 60 })
  .map((parts) => parts.join(''));
const repeated = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }),
  )
  .map(([unit, end]) => {
    const text = unit.join('');
    return (text.repeat(Math.floor((LARGEST - 64) / Buffer.byteLength(text))) + end.join('')).slice(0, LARGEST);
  });
const formats = fc.constantFrom<Format>('json', 'yaml');
const plain = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((key) => !['__proto__', 'constructor', 'prototype'].includes(key)),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;

afterAll(() => {
  const now = JSON.stringify(Object.getOwnPropertyDescriptors(Object.prototype), (_key, value: unknown) =>
    typeof value === 'function' ? value.name : value,
  );
  if (now !== PROTOTYPE) throw new Error('Object.prototype was changed');
});

function depth(value: Json | undefined): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
}

function nodes(value: Json | undefined): number {
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + nodes(one), 1)
    : 1;
}

function keys(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.getOwnPropertyNames(value);
  return [...own, ...Object.values(value).flatMap(keys)];
}

describe('a body of any bytes', () => {
  it.each<Format>(['json', 'yaml'])(
    'a body of any bytes is parsed as %s or rejected, and the result is within the limits',
    (format) => {
      fc.assert(
        fc.property(
          fc.oneof(
            anyText.map((text) => Buffer.from(text)),
            fc.uint8Array({ maxLength: 200 }),
          ),
          (bytes) => {
            const value = refusedOr(() => parseBody(bytes, format));
            if (value === undefined) return;
            expect(depth(value)).toBeLessThanOrEqual(MAX_DEPTH);
            expect(nodes(value)).toBeLessThanOrEqual(MAX_NODES);
            expect(keys(value).filter((key) => ['__proto__', 'constructor', 'prototype'].includes(key))).toEqual([]);
          },
        ),
        RUNS,
      );
    },
  );

  it('a body below 64 KiB takes at most 50 ms, whatever it repeats', () => {
    const costs: string[] = [];
    fc.assert(
      fc.property(repeated, formats, (text, format) => {
        const bytes = Buffer.from(text).subarray(0, LARGEST);
        const ms = cost(() => refusedOr(() => parseBody(bytes, format)));
        if (tooMuch(ms)) costs.push(`${ms} ms: ${format} ${JSON.stringify(text.slice(0, 60))}`);
      }),
      { numRuns: 300 },
    );

    expect(costs).toEqual([]);
  }, 600_000);

  it('a body that JSON.stringify has written is parsed to the same value', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseBody(Buffer.from(text), 'json'))).toBe(
          text.replaceAll(/(?<![\w"])-0(?![\d.])/g, '0'),
        );
      }),
      RUNS,
    );
  });

  it('a body that was written as YAML is parsed to the same value', () => {
    const scalar = fc
      .array(
        fc.constantFrom(...PIECES, '_', '.', '+', '1', '0b', '0o', '0X', 'e3', 'f', '.inf', '.NaN', ':', 'yes', '='),
        { maxLength: 5 },
      )
      .map((parts) => parts.join(''))
      .filter((text) => !['__proto__', 'constructor'].includes(text));
    fc.assert(
      fc.property(
        fc.dictionary(scalar, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.maxSafeInteger(), fc.boolean()), {
          maxKeys: 5,
          noNullPrototype: true,
        }),
        (value) => {
          expect(JSON.stringify(parseBody(Buffer.from(writeYaml(value)), 'yaml'))).toBe(JSON.stringify(value));
        },
      ),
      RUNS,
    );
  });

  it('a body in JSON is accepted only when JSON.parse accepts it, with the same value', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = refusedOr(() => parseBody(Buffer.from(text), 'json'));
        if (value !== undefined) expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      RUNS,
    );
  });
});

const headerName = fc.oneof(
  fc.constantFrom(
    'host',
    'cookie',
    'authorization',
    'content-type',
    'accept',
    'prefer',
    'if-match',
    'origin',
    'transfer-encoding',
    'expect',
    '__proto__',
    'constructor',
  ),
  fc.string(),
);
const headerText = fc.oneof(
  anyText,
  fc.constantFrom('Authorization: Bearer abc', 'Bearer abc', 'application/yaml', '"7"', '*', 'chunked', 'https://a'),
  fc.string({ maxLength: 20_000 }),
);

describe('a head with any headers', () => {
  it('a head with any headers is accepted or rejected, and a token has only its allowed characters', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(headerName, headerText), { maxLength: 12 }), (pairs) => {
        const headers = headerMap(pairs.flat());
        refusedOr(() => checkHeaders(headers, '1.1'));
        refusedOr(() => formatOf(headers));
        refusedOr(() => ifMatchRevision(headers));
        acceptedType(headers);
        wantsRepresentation(headers);
        const token = refusedOr(() => tokenOf(headers));
        if (token !== undefined) expect(token).toMatch(/^[A-Za-z0-9._~+/-]{1,8192}=*$/);
      }),
      RUNS,
    );
  });

  it('a head with one long value takes at most 50 ms', () => {
    fc.assert(
      fc.property(repeated, (text) => {
        const headers = headerMap([
          'host',
          'a',
          'cookie',
          `Authorization: Bearer ${text}`,
          'accept',
          text,
          'prefer',
          text,
          'content-type',
          text,
          'if-match',
          text,
          'origin',
          text,
        ]);
        expect(
          tooMuch(
            cost(() => {
              for (const read of [tokenOf, formatOf, ifMatchRevision, acceptedType, wantsRepresentation])
                refusedOr<unknown>(() => read(headers));
              refusedOr(() => checkHeaders(headers, '1.1'));
            }),
          ),
        ).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a path of any characters', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'platform',
      'apis',
      'multicluster.platform.io',
      'cluster.fleetmgmt.io',
      'v1alpha1',
      'namespaces',
      'placements',
      'multiclusterengines',
      '',
      '.',
      '..',
      '%2e',
      'a',
      'A',
      'livez',
    ),
    fc.string(),
    fc.string({ unit: 'binary' }),
  );

  it('a path of any characters matches a route of the table with DNS names as parameters, or none', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 10 }).map((parts) => `/${parts.join('/')}`),
        ),
        (path) => {
          const match = matchRoute(path);
          if (match === undefined) return;
          const built = match.route.template
            .replace('{namespace}', match.namespace ?? '')
            .replace(/\{\w+\}/, match.name ?? '');
          expect(built).toBe(path);
          expect(path).toMatch(/^[a-z0-9/.-]+$/);
        },
      ),
      RUNS,
    );
  });

  it('a path that is built from a route and DNS names matches that route', () => {
    const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(
        fc.constantFrom(...ROUTES),
        label,
        fc.array(label, { minLength: 1, maxLength: 4 }),
        (route, namespace, labels) => {
          const name = labels.join('.');
          expect(isSubdomain(name)).toBe(true);
          const path = route.template.replace('{namespace}', namespace).replace(/\{\w+\}/, name);
          expect(matchRoute(path)?.route).toBe(route);
        },
      ),
      RUNS,
    );
  });

  it('a path of 64 KiB takes at most 50 ms', () => {
    fc.assert(
      fc.property(repeated, (text) => {
        expect(
          tooMuch(
            cost(() => matchRoute(`/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines/${text}`)),
          ),
        ).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
