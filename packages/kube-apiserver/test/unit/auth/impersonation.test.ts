import { describe, expect, it } from '@jest/globals';

import type { Attributes, Authorizer } from '../../../src/auth/authorizer.js';
import { createImpersonation } from '../../../src/auth/impersonation.js';
import { StatusError } from '../../../src/status.js';

const SENDER = { name: 'ann', groups: ['devs'] };
const LIST: Attributes = {
  user: SENDER,
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: '',
};

/** `verb resource.group/subresource name`, the notation of rights below. */
function nameOf(wanted: Attributes): string {
  if ('path' in wanted) return `${wanted.verb} ${wanted.path}`;
  const { verb, resource, group, subresource, namespace, name } = wanted;
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`} ${namespace === '' ? '' : `${namespace}/`}${name}`.trim();
}

function granting(...rights: string[]): Authorizer {
  return { authorize: (wanted) => ({ allowed: rights.includes(nameOf(wanted)) || rights.includes('*'), reason: '' }) };
}

function act(headers: Record<string, string>, ...rights: string[]): unknown {
  const user = createImpersonation(granting(...rights))(headers, LIST);
  return user instanceof StatusError ? `${user.code} ${user.message}` : user;
}

const BOB = { 'impersonate-user': 'bob' };
const ROBOT = { 'impersonate-user': 'system:serviceaccount:x:y' };

describe('a request that asks for another user', () => {
  it('a request without impersonation acts as its sender', () => {
    expect(act({})).toBe(SENDER);
    expect(act(BOB, 'impersonate users bob')).toEqual({ name: 'bob', groups: ['system:authenticated'] });
  });

  it.each([
    [{ ...BOB, 'impersonate-group': 'a\nb' }, ['a', 'b', 'system:authenticated']],
    [{ ...BOB, 'impersonate-group': 'system:unauthenticated' }, ['system:unauthenticated']],
    [{ 'impersonate-user': 'system:anonymous' }, ['system:unauthenticated']],
    [ROBOT, ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated']],
    [{ ...ROBOT, 'impersonate-group': 'a' }, ['a', 'system:authenticated']],
    [{ 'impersonate-user': 'system:node:n1' }, ['system:nodes', 'system:authenticated']],
  ])('a request with the headers %j acts in the groups %j', (headers, groups) => {
    expect(act(headers, '*')).toMatchObject({ groups });
  });

  it('an impersonated user has the uid and extra of the headers, with unescaped keys', () => {
    expect(act({ ...BOB, 'impersonate-uid': 'u', 'impersonate-extra-example.com%2fa': 'x\ny' }, '*')).toEqual({
      name: 'bob',
      uid: 'u',
      groups: ['system:authenticated'],
      extra: { 'example.com/a': ['x', 'y'] },
    });
  });

  it('the first of several impersonated users and uids is used', () => {
    const headers = { 'impersonate-user': 'bob\neve', 'impersonate-uid': 'u\nv' };
    expect(act(headers, 'impersonate users bob', 'impersonate uids.authentication.k8s.io u')).toEqual({
      name: 'bob',
      uid: 'u',
      groups: ['system:authenticated'],
    });
  });

  it.each([
    [BOB, ['impersonate users bob']],
    [BOB, ['impersonate-on:user-info:list pods ns/', 'impersonate:user-info users.authentication.k8s.io bob']],
    [ROBOT, ['impersonate serviceaccounts x/y']],
    [
      ROBOT,
      [
        'impersonate-on:serviceaccount:list pods ns/',
        'impersonate:serviceaccount serviceaccounts.authentication.k8s.io x/y',
      ],
    ],
    [
      { ...BOB, 'impersonate-group': 'a', 'impersonate-uid': 'u' },
      ['impersonate users bob', 'impersonate groups a', 'impersonate uids.authentication.k8s.io u'],
    ],
    [
      { ...BOB, 'impersonate-extra-k': 'v' },
      ['impersonate users bob', 'impersonate userextras.authentication.k8s.io/k v'],
    ],
    [
      { 'impersonate-user': 'system:node:n1' },
      ['impersonate-on:arbitrary-node:list pods ns/', 'impersonate:arbitrary-node nodes.authentication.k8s.io n1'],
    ],
  ])('the headers %j require exactly the rights %j', (headers, rights) => {
    expect(act(headers, ...rights)).toHaveProperty('name', headers['impersonate-user']);
    for (const missing of rights) expect(act(headers, ...rights.filter((one) => one !== missing))).toMatch(/^403 /);
  });

  it.each([
    [
      BOB,
      [],
      '403 pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "ns"',
    ],
    [
      { ...BOB, 'impersonate-group': 'system:masters' },
      [
        'impersonate-on:user-info:list pods ns/',
        'impersonate:user-info users.authentication.k8s.io bob',
        'impersonate:user-info groups.authentication.k8s.io system:masters',
      ],
      '403 groups.authentication.k8s.io "system:masters" is forbidden: User "ann" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
    [
      { ...ROBOT, 'impersonate-group': 'a' },
      [],
      '403 serviceaccounts "y" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "x"',
    ],
    [
      { 'impersonate-group': 'devs' },
      [],
      '400 requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      { 'impersonate-uid': 'v' },
      [],
      '400 requested &user.DefaultInfo{Name:"", UID:"v", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    ],
  ])('the headers %j with the rights %j get %s', (headers, rights, answer) => {
    expect(act(headers, ...rights)).toBe(answer);
  });

  it('after plain impersonation succeeded, the error of the next failure is that of the plain mode', () => {
    const act = createImpersonation(
      granting(
        'impersonate users bob',
        'impersonate-on:user-info:list pods ns/',
        'impersonate:user-info users.authentication.k8s.io eve',
      ),
    );
    const outcome = (name: string): unknown => {
      const user = act({ 'impersonate-user': name }, LIST);
      return user instanceof StatusError ? user.message : user.name;
    };
    const plain =
      'users "zoe" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope';
    const bound =
      'users.authentication.k8s.io "zoe" is forbidden: User "ann" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope';
    expect(['zoe', 'bob', 'zoe', 'eve', 'zoe'].map(outcome)).toEqual([bound, 'bob', plain, 'eve', bound]);
  });
});
