import { describe, expect, it } from '@jest/globals';

import { requestInfo } from '../../../src/http/requestinfo.js';
import { readTarget } from '../../../src/http/target.js';

function infoOf(line: string): unknown {
  const [method = '', text = ''] = line.split(' ');
  const target = readTarget(text);
  if (target === undefined) return 'bad target';
  const parsed = requestInfo(method, target);
  if (parsed.kind === 'invalid') return parsed.message;
  const { isResource, verb, path, group, version, namespace, resource, subresource, name } = parsed.info;
  return isResource ? [verb, group, version, namespace, resource, subresource, name].join('|') : `${verb} ${path}`;
}

describe('a request line', () => {
  it.each([
    ['GET /', 'get /'],
    ['POST /version', 'post /version'],
    ['GET /api/v1', 'get /api/v1'],
    ['GET /apis/apps/v1', 'get /apis/apps/v1'],
    ['GET /apis/apps/v1/', 'get /apis/apps/v1/'],
    ['GET /api/v1/configmaps', 'list||v1||configmaps||'],
    ['GET /api/v1/configmaps/', 'list||v1||configmaps||'],
    ['GET /api/v1/configmaps?watch=1', 'watch||v1||configmaps||'],
    ['GET /api/v1/configmaps?watch', 'watch||v1||configmaps||'],
    ['GET /api/v1/configmaps?watch=maybe', 'watch||v1||configmaps||'],
    ['GET /api/v1/configmaps?watch=False', 'list||v1||configmaps||'],
    ['GET /api/v1/configmaps?fieldSelector=metadata.name%3Dx,a=b', 'list||v1||configmaps||x'],
    ['GET /api/v1/configmaps?fieldSelector=metadata.name!=x', 'list||v1||configmaps||'],
    ['GET /api/v1/configmaps?fieldSelector=metadata.name=a/b', 'list||v1||configmaps||'],
    ['HEAD /api/v1/namespaces/a/configmaps/b', 'get||v1|a|configmaps||b'],
    ['POST /apis/apps/v1/namespaces/a/deployments', 'create|apps|v1|a|deployments||'],
    ['PUT /apis/apps/v1/namespaces/a/deployments/b/status', 'update|apps|v1|a|deployments|status|b'],
    ['PATCH /apis/apps/v1/namespaces/a/deployments/b', 'patch|apps|v1|a|deployments||b'],
    ['DELETE /apis/apps/v1/namespaces/a/deployments', 'deletecollection|apps|v1|a|deployments||'],
    ['DELETE /apis/apps/v1/namespaces/a/deployments/b', 'delete|apps|v1|a|deployments||b'],
    ['OPTIONS /api/v1/configmaps', '||v1||configmaps||'],
    ['GET /api/v1/namespaces/a', 'get||v1|a|namespaces||a'],
    ['PUT /api/v1/namespaces/a/finalize', 'update||v1|a|namespaces|finalize|a'],
    ['GET /api/v1/namespaces/a/status', 'get||v1|a|namespaces|status|a'],
    ['GET /api/v1/namespaces//configmaps', 'list||v1||configmaps||'],
    ['GET /api/v1/watch/namespaces/a/configmaps/b', 'watch||v1|a|configmaps||b'],
    ['GET /api/v1/watch', 'unable to determine kind and namespace from url, /api/v1/watch'],
    ['GET /api/v1/namespaces/a/configmaps/%zz', 'bad target'],
    ['GET /api/v1/namespaces/a/configmaps/a%2Fb', 'get||v1|a|configmaps|b|a'],
    ['GET /api/v1/namespaces/a/configmaps/%C3%A4', 'get||v1|a|configmaps||ä'],
    ['GET http://host:1/api/v1/namespaces/a', 'get||v1|a|namespaces||a'],
    ['GET //api/v1/namespaces/a', 'get||v1|a|namespaces||a'],
  ])('the request line %s has the attributes %s', (line, asked) => {
    expect(infoOf(line)).toBe(asked);
  });
});

describe('a query', () => {
  it.each([
    ['a=1&a=2', { a: '1' }],
    ['a=x+y%20z', { a: 'x y z' }],
    ['a=%zz&b=2', { b: '2' }],
    ['a=1;b=2&c=3', { c: '3' }],
    ['&&a&=b', { a: '', '': 'b' }],
    ['__proto__=x', Object.fromEntries([['__proto__', 'x']])],
    ['a=%C3%A4', { a: 'ä' }],
  ])('the query %s has the values %j', (text, values) => {
    expect(Object.fromEntries(readTarget(`/x?${text}`)?.query ?? [])).toEqual(values);
  });
});
