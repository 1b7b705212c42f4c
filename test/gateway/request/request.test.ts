import { describe, expect, it } from '@jest/globals';

import { announcesBody } from '../../../src/gateway/request/body.js';
import { Budget } from '../../../src/gateway/request/budget.js';
import {
  objectToSend,
  parseBody,
  withResourceVersion,
  validateTarget,
} from '../../../src/gateway/request/objectbody.js';
import { checkHeaders, headerMap } from '../../../src/gateway/request/headers.js';
import { acceptedType, formatOf, wantsRepresentation } from '../../../src/gateway/request/media.js';
import { checkConditionalHeaders, entityTag, ifMatchRevision } from '../../../src/gateway/request/precondition.js';
import { StatusError } from '../../../src/gateway/statuserror.js';
import {
  isLabel,
  isSubdomain,
  matchRoute,
  operationOf,
  ROUTES,
  type Action,
} from '../../../src/gateway/request/routes.js';
import { tokenOf } from '../../../src/gateway/server/requesthead.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { MultiClusterEngines, Placements } from '../../../src/api/resources.js';

/** The result, or the kind of the StatusError. */
function outcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) return error.kind;
    throw error;
  }
}

describe('the route table', () => {
  it('the route table has nine paths and unique operation ids', () => {
    const ids = ROUTES.flatMap((route) => route.operations.map(({ id }) => id));

    expect(ROUTES).toHaveLength(13);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each<[string, object | undefined]>([
    ['/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines', {}],
    ['/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines/a', { name: 'a' }],
    ['/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines/a.b-c', { name: 'a.b-c' }],
    ['/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/n/placements', { namespace: 'n' }],
    ['/platform/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/n/placements/web', { namespace: 'n', name: 'web' }],
    ['/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/n.m/placements', undefined],
    ['/platform/cluster.fleetmgmt.io/v1alpha1/namespaces//placements', undefined],
    ['/platform/multicluster.platform.io/v1alpha1/multiclusterengines', undefined],
    ['/platform/cluster.fleetmgmt.io/v1alpha1/placements', undefined],
    ['/platform', undefined],
    ['', undefined],
  ])('the route table matches the path %s to %j', (path, found) => {
    const match = matchRoute(path);

    expect(match === undefined ? undefined : { ...match, route: undefined }).toEqual(found);
  });

  it('the route table does not take a property of Object.prototype for a method', () => {
    expect(
      ROUTES.flatMap((route) => ['toString', '__proto__', 'get', ''].map((method) => operationOf(route, method))),
    ).toEqual(ROUTES.flatMap(() => [undefined, undefined, undefined, undefined]));
  });

  it.each<[string, boolean, boolean]>([
    ['a', true, true],
    ['a-b', true, true],
    ['0', true, true],
    ['a.b', false, true],
    ['a'.repeat(63), true, true],
    ['a'.repeat(64), false, false],
    [`${'a.'.repeat(126)}a`, false, true],
    [`${'a.'.repeat(127)}a`, false, false],
    ['', false, false],
    ['-a', false, false],
    ['a-', false, false],
    ['A', false, false],
    ['a.', false, false],
    ['.a', false, false],
    ['a..b', false, false],
    ['a\n', false, false],
    ['ä', false, false],
    ['a_b', false, false],
    ['%61', false, false],
  ])('the text %j is accepted as a DNS label: %s; as a DNS subdomain: %s', (text, label, subdomain) => {
    expect([isLabel(text), isSubdomain(text)]).toEqual([label, subdomain]);
  });
});

describe('the headers', () => {
  it('headers are kept separately, whatever their names are', () => {
    const map = headerMap(['A', '1', 'a', '2', '__proto__', 'x', 'constructor', 'y']);

    expect([...map]).toEqual([
      ['a', ['1', '2']],
      ['__proto__', ['x']],
      ['constructor', ['y']],
    ]);
  });

  it.each<[string[], string | undefined]>([
    [['Host', 'a'], undefined],
    [['Host', 'a:8443'], undefined],
    [['Host', '[::1]:1'], undefined],
    [['Host', ''], 'malformed'],
    [[], 'malformed'],
    [['Host', 'a:'], undefined],
    [['Host', 'a:x'], 'malformed'],
    [['Host', 'a:1:2'], 'malformed'],
    [['Host', '::1'], 'malformed'],
    [['Host', '[::1'], 'malformed'],
    [['Host', '[a]:x'], 'malformed'],
    [['Host', 'a', 'Expect', '100-Continue'], undefined],
    [['Host', 'a', 'Transfer-Encoding', 'Chunked'], undefined],
    [['Host', 'A', 'Origin', 'https://a'], undefined],
    [['Host', 'a', 'Origin', 'https://a:443'], 'forbidden'],
    [['Host', 'a', 'Sec-Fetch-Site', 'same-origin'], undefined],
  ])('the check of the headers %j has the error kind %s', (raw, kind) => {
    expect(outcome(() => checkHeaders(headerMap(raw), '1.1'))).toBe(kind);
  });

  it.each<[string[], string]>([
    [['Cookie', 'Authorization: Bearer abc'], 'abc'],
    [['COOKIE', 'Authorization: Bearer a.b-c_d~e+f/g=='], 'a.b-c_d~e+f/g=='],
    [['Authorization', 'Bearer abc'], 'abc'],
    [['authorization', 'bEARER abc'], 'abc'],
    [['Cookie', `Authorization: Bearer ${'a'.repeat(8192)}`], 'a'.repeat(8192)],
    [['Cookie', `Authorization: Bearer ${'a'.repeat(8193)}`], 'forbidden'],
    [['Cookie', 'Bearer abc'], 'forbidden'],
    [['Authorization', 'Authorization: Bearer abc'], 'forbidden'],
    [['Cookie', 'Authorization: Bearer abc', 'Authorization', 'Bearer abc'], 'forbidden'],
    [[], 'forbidden'],
  ])('the headers %j have the token, or the error kind, %s', (raw, token) => {
    expect(outcome(() => tokenOf(headerMap(raw)))).toBe(token);
  });

  it.each<[string, string]>([
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['Placement/YAML', 'placement/yaml'],
    ['application/json;q=0.5, operator/yaml', 'operator/yaml'],
    ['application/yaml;q=0.5, */*', 'application/json'],
    ['application/yaml;q=0', 'application/json'],
    ['application/yaml;q=x', 'application/json'],
    ['application/*', 'application/json'],
  ])('a request with Accept: %s requests %s', (accept, name) => {
    expect(acceptedType(headerMap(accept === '' ? [] : ['Accept', accept])).name).toBe(name);
  });

  it.each<[string, string]>([
    ['application/json', 'json'],
    ['application/yaml', 'yaml'],
    ['multiclusterengines/YAML', 'yaml'],
    ['application/json; charset="utf-8"', 'json'],
    ['application/json;', 'json'],
    ['application/json; charset=utf-16', 'mediaType'],
    ['text/yaml', 'mediaType'],
    ['', 'mediaType'],
  ])('a body with Content-Type: %s has the format, or the error kind, %s', (type, format) => {
    expect(outcome(() => formatOf(headerMap(['Content-Type', type])))).toBe(format);
  });

  it.each<[string, boolean]>([
    ['return=representation', true],
    ['respond-async, return=representation; x', true],
    ['return="representation"', true],
    ['return=minimal', false],
    ['', false],
  ])('a request with Prefer: %s requests the object: %s', (prefer, wanted) => {
    expect(wantsRepresentation(headerMap(['Prefer', prefer]))).toBe(wanted);
  });

  it.each<[string[], string | undefined]>([
    [[], undefined],
    [['If-Match', '*'], undefined],
    [['If-Match', '"12"'], '12'],
    [['If-Match', '"a b"'], 'malformed'],
    [['If-Match', '"a-b"'], 'precondition'],
    [['If-Match', 'W/"1"'], 'malformed'],
    [['If-Match', '"0"'], 'precondition'],
    [['If-Match', '"012"'], 'precondition'],
    [['If-Match', '"18446744073709551615"'], '18446744073709551615'],
    [['If-Match', '"18446744073709551616"'], 'precondition'],
  ])('the headers %j require the resourceVersion, or have the error kind, %s', (raw, revision) => {
    expect(outcome(() => ifMatchRevision(headerMap(raw)))).toBe(revision);
  });

  it.each<[string[], Action, string | undefined]>([
    [[], 'list', undefined],
    [['If-Match', '"1"'], 'update', undefined],
    [['If-Match', '*'], 'delete', undefined],
    [['If-Match', '"1"'], 'get', 'malformed'],
    [['If-Match', '*'], 'create', 'malformed'],
    ...['If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range', 'Content-Range'].flatMap((name) =>
      (['get', 'update', 'openapi'] as const).map((action): [string[], Action, string] => [
        [name, 'x'],
        action,
        'malformed',
      ]),
    ),
  ])('the headers %j of the operation %s have the error kind %s', (raw, action, kind) => {
    expect(outcome(() => checkConditionalHeaders(headerMap(raw), action))).toBe(kind);
  });

  it.each<[unknown, string | undefined]>([
    ['12', '"12"'],
    ['0', undefined],
    ['x1', undefined],
    ['', undefined],
    [12, undefined],
    ['a"b', undefined],
    ['a\r\nb', undefined],
  ])('an object with the resourceVersion %j has the entity tag %s', (version, tag) => {
    expect(entityTag(version)).toBe(tag);
  });

  it.each<[string[], boolean]>([
    [[], false],
    [['Content-Length', '0'], false],
    [['Content-Length', '000'], false],
    [['Content-Length', '1'], true],
    [['Transfer-Encoding', 'chunked'], true],
  ])('the headers %j announce a body: %s', (raw, announced) => {
    expect(announcesBody(headerMap(raw))).toBe(announced);
  });
});

describe('a request body', () => {
  const parse = (text: string, format: 'json' | 'yaml'): unknown => outcome(() => parseBody(Buffer.from(text), format));

  it.each<[string, unknown]>([
    ['{"a":[1,-2,0,null,true,false,"x",{}],"b":{}}', { a: [1, -2, 0, null, true, false, 'x', {}], b: {} }],
    [' [ ] ', []],
    ['"\\u0041\\n\\ud83d\\ude00"', 'A\n😀'],
    ['9007199254740992', 2 ** 53],
    ['-9007199254740992', -(2 ** 53)],
    ['-0', 0],
    ['9007199254740993', 'malformed'],
    ['1.0', 'malformed'],
    ['1e3', 'malformed'],
    ['01', 'malformed'],
    ['', 'malformed'],
    ['{"a":1}{', 'malformed'],
    ['{"a":1,"a":1}', 'malformed'],
    ['["\\ud800"]', 'malformed'],
    ['{"toString":1}', { toString: 1 }],
  ])('the JSON body %s is parsed as %j', (text, value) => {
    expect(parse(text, 'json')).toEqual(value);
  });

  it.each<[string, unknown]>([
    ['a: b\nc: [1, two, ~, true, "3"]\nd:\n  - e\n', { a: 'b', c: [1, 'two', null, true, '3'], d: ['e'] }],
    ['--- \na: b\n...\n', { a: 'b' }],
    ['a: |\n  x\n  ---y\nb: >-\n  p\n  q\n', { a: 'x\n---y\n', b: 'p q' }],
    [
      'a: "yes"\nb: oN\nc: 2026-01-01\nd: 12:30:45\ne: 1.2.3\ng: null',
      { a: 'yes', b: 'oN', c: '2026-01-01', d: '12:30:45', e: '1.2.3', g: null },
    ],
    ['a: yes', 'malformed'],
    ['a: [N]', 'malformed'],
    ['on: x', 'malformed'],
    ['a: b & c * d ! e', { a: 'b & c * d ! e' }],
    ['{"a": "b"}', { a: 'b' }],
    ['a: "1"\nb: \'2\'', { a: '1', b: '2' }],
    ['a:', { a: null }],
    ['"1": x', { 1: 'x' }],
    ['1: x', 'malformed'],
    ['true: x', 'malformed'],
    ['a: 0644', 'malformed'],
    ['a: 1.0', 'malformed'],
    ['a: 0o17', 'malformed'],
    ['a: 0X1F', 'malformed'],
    ['a: 0_x1f', 'malformed'],
    ['a: 1_0e3', 'malformed'],
    ['a: 0b2fa3c\nb: 0o8\n0xyz: _1', { a: '0b2fa3c', b: '0o8', '0xyz': '_1' }],
    ['a: &x b', 'malformed'],
    ['a: *x', 'malformed'],
    ['a: !!str b', 'malformed'],
    ['<<: {a: b}', 'malformed'],
    ['"<<": x', { '<<': 'x' }],
    ['a: b\na: c', 'malformed'],
    ['---\na: b\n---\nc: d', 'malformed'],
    ['%YAML 1.2\n---\na: b', 'malformed'],
    ['a: b\r\nc: d\r\n', { a: 'b', c: 'd' }],
    ['a: b\rc: d', 'malformed'],
    ['\ufeffa: b', 'malformed'],
    ['a: [', 'malformed'],
    ['', 'malformed'],
  ])('the YAML body %j is parsed as %j', (text, value) => {
    expect(parse(text, 'yaml')).toEqual(value);
  });

  it('a malformed body gets an error with the path of the wrong value', () => {
    const refusal = (text: string, format: 'json' | 'yaml'): unknown => {
      try {
        return parseBody(Buffer.from(text), format);
      } catch (error) {
        return error instanceof StatusError ? error.detail : error;
      }
    };

    expect(refusal('spec:\n  a:\n  - b: 1\n  - c: 1.5\n', 'yaml')).toMatchObject({
      causes: [{ field: 'spec.a[1].c' }],
    });
    expect(refusal('{"spec":{"tolerations":[{"key":"a","key":"b"}]}}', 'json')).toMatchObject({
      causes: [{ field: 'spec.tolerations[0].key', message: 'duplicate key' }],
    });
    expect(refusal('a: [b', 'yaml')).toMatchObject({
      message: expect.stringMatching(/^the body is not valid YAML: line \d+, column \d+: /),
    });
    expect(refusal('{"a" 1}', 'json')).toMatchObject({
      message: 'the body is not valid JSON: character 6: ":" is expected',
    });
  });

  it('a request body is counted in the budget, except for its first 64 KiB, until it is released', () => {
    const budget = new Budget({ limit: 10, uncounted: 64 * 1024, clock: new ManualClock() });
    const [a, b] = [budget.reserve(), budget.reserve()];
    const free = 64 * 1024;

    expect([a.grow(free), a.grow(free + 6), b.grow(free + 5), b.grow(free + 4), a.grow(free + 7), a.grow(1)]).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(budget.reserved).toBe(10);
    a.release();
    a.release();
    b.release();
    expect(budget.reserved).toBe(0);
  });
});

describe('the object in a body', () => {
  it('the object in a body is refused for an expression that does not compile, which an API server would accept', () => {
    const celSelector = { celExpressions: ['true', 'managedcluster.metadata.name == "a"'] };
    const object = {
      metadata: { name: 'web' },
      spec: { predicates: [{ requiredClusterSelector: { celSelector } }] },
    };
    const target = { resource: Placements, namespace: 'n' };
    const send = (body: object): string =>
      objectToSend(Buffer.from(JSON.stringify(body)), {
        action: 'create',
        target,
        resourceVersion: undefined,
        format: 'json',
      });

    expect(() => send(object)).toThrow(
      "spec.predicates[0].requiredClusterSelector.celSelector.celExpressions[1]: undeclared reference to 'managedcluster' (column 1)",
    );
    celSelector.celExpressions.pop();
    expect(JSON.parse(send(object))).toMatchObject(object);
  });

  it('the object in a body is refused for a time zone that nobody knows, and other faults of windows are left to the API server', () => {
    const send = (window: object): string =>
      objectToSend(
        Buffer.from(
          JSON.stringify({
            metadata: { name: 'web' },
            spec: { changeWindows: [{ start: '* 00:00', duration: '1h', ...window }] },
          }),
        ),
        {
          action: 'create',
          target: { resource: Placements, namespace: 'n' },
          resourceVersion: undefined,
          format: 'json',
        },
      );

    expect(() => send({ timeZone: 'Mars/Base' })).toThrow(
      'spec.changeWindows[0].timeZone: "Mars/Base": must be a time zone of the IANA database, such as "Europe/Berlin"',
    );
    expect(send({ timeZone: 'Europe/Berlin' })).toContain('Europe/Berlin');
    expect(send({ timeZone: 'UTC', start: 'never' })).toContain('never');
  });

  const target = { resource: Placements, namespace: 'shop' };

  it('an object in a body gets kind and apiVersion from the path', () => {
    expect(validateTarget({ metadata: { name: 'web' }, spec: {} }, target)).toEqual({
      kind: 'Placement',
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      metadata: { name: 'web' },
      spec: {},
    });
  });

  it('an object of a PUT gets a missing name from the path, in a copy', () => {
    const body = { metadata: { labels: {} } };

    expect(validateTarget(body, { ...target, name: 'web' })).toMatchObject({ metadata: { name: 'web', labels: {} } });
    expect(validateTarget(body, target)).toMatchObject({ metadata: { labels: {} } });
    expect(body).toEqual({ metadata: { labels: {} } });
  });

  it.each<[string, object, object]>([
    ['the same namespace', { metadata: { namespace: 'shop' } }, target],
    ['a name that is generated', { metadata: { generateName: 'web-' } }, target],
    ['the same name', { metadata: { name: 'web' } }, { ...target, name: 'web' }],
    ['an empty namespace without one', { metadata: { namespace: '', name: 'e' } }, { resource: MultiClusterEngines }],
  ])('an object with %s agrees with its path', (_what, body, where) => {
    expect(
      outcome(() => validateTarget(JSON.parse(JSON.stringify(body)), { resource: Placements, ...where })),
    ).toMatchObject(body);
  });

  it.each<[string, unknown, object]>([
    ['no object', [], target],
    ['no metadata', {}, target],
    ['another kind', { kind: 'Secret', metadata: {} }, target],
    ['another version', { apiVersion: 'v1', metadata: {} }, target],
    ['another namespace', { metadata: { namespace: 'x' } }, target],
    ['a namespace', { metadata: { namespace: 'x' } }, { resource: MultiClusterEngines }],
    ['another name', { metadata: { name: 'x' } }, { ...target, name: 'web' }],
    ['a null name', { metadata: { name: null } }, { ...target, name: 'web' }],
    ['a null kind', { kind: null, metadata: {} }, target],
  ])('an object with %s does not agree with its path', (_what, body, where) => {
    expect(outcome(() => validateTarget(JSON.parse(JSON.stringify(body)), { resource: Placements, ...where }))).toBe(
      'malformed',
    );
  });

  it('an object gets the resourceVersion of If-Match in a copy, or keeps its own', () => {
    const object = { metadata: { name: 'web' } };

    expect(outcome(() => withResourceVersion(object, '7'))).toEqual({
      metadata: { name: 'web', resourceVersion: '7' },
    });
    expect(outcome(() => withResourceVersion({ metadata: { resourceVersion: '7' } }, undefined))).toEqual({
      metadata: { resourceVersion: '7' },
    });
    expect(outcome(() => withResourceVersion({ metadata: { resourceVersion: '7' } }, '8'))).toBe('precondition');
    expect(outcome(() => withResourceVersion(object, undefined))).toBe('invalid');
    expect(object).toEqual({ metadata: { name: 'web' } });
  });
});
