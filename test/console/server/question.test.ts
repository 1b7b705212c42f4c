import { describe, expect, it } from '@jest/globals';
import { questionOf, type Question } from '../../../src/console/server/fleet/question.js';

describe('what somebody asks in the box', () => {
  it.each<readonly [string, Question]>([
    ['', { kind: 'name', text: '' }],
    ['  cluster-4 ', { kind: 'name', text: 'cluster-4' }],
    ['silent', { kind: 'name', text: 'silent' }],
    ['shop/web', { kind: 'name', text: 'shop/web' }],
    // A verb alone may be the begin of a name.
    ['lose', { kind: 'name', text: 'lose' }],
    ['why is', { kind: 'name', text: 'why is' }],
    ['constructor web', { kind: 'name', text: 'constructor web' }],
    ['set:prod label:tier=gold', { kind: 'filter', q: 'set:prod label:tier=gold' }],
    ['why cluster-4 cart', { kind: 'why', words: ['cluster-4', 'cart'] }],
    ['Why is cluster-4 not in cart', { kind: 'why', words: ['cluster-4', 'cart'] }],
    ['why cluster-4', { kind: 'why', words: ['cluster-4'] }],
    ['lose eu', { kind: 'lose', key: '', value: 'eu' }],
    ['lose region eu', { kind: 'lose', key: 'region', value: 'eu' }],
    ['lose region=eu', { kind: 'lose', key: 'region', value: 'eu' }],
    ['lose label/region=eu=1', { kind: 'lose', key: 'region', value: 'eu=1' }],
    ['drain prod-eu-1', { kind: 'drain', cluster: 'prod-eu-1' }],
    ['edit shop/web', { kind: 'edit', name: 'shop/web' }],
    ['who changed web', { kind: 'history', name: 'web' }],
    ['Who has edited the Placement web last night', { kind: 'history', name: 'web' }],
    ['history cluster-4', { kind: 'history', name: 'cluster-4' }],
    ['drain the cluster prod-eu-1', { kind: 'drain', cluster: 'prod-eu-1' }],
  ])('%j is read as %j', (text, question) => {
    expect(questionOf(text)).toEqual(question);
  });
});
