import { describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import { Cluster } from './cluster.js';

const HOUR = 60 * 60_000;

function event(name: string, more: { readonly [key: string]: Json } = {}): Json {
  return { metadata: { name }, involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'ns' }, ...more };
}

function events(fixture: Cluster): string[] {
  return fixture.store.list('events', '').map(({ key }) => key);
}

describe('expiry of events', () => {
  it('an event is deleted an hour after its last write', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('events/ns', event('a'));
    await fixture.create('events/ns', event('b'));
    await fixture.clock.advance(HOUR / 2);
    await fixture.patch('events/ns/a', 'merge', { count: 2 });
    await fixture.clock.advance(HOUR / 2 - 1);
    expect(events(fixture)).toEqual(['ns/a', 'ns/b']);
    await fixture.clock.advance(2_000);
    await fixture.idle();
    expect(events(fixture)).toEqual(['ns/a']);
    await fixture.clock.advance(HOUR / 2);
    await fixture.idle();

    expect(events(fixture)).toEqual([]);
    expect(fixture.clock.pending).toBe(0);
    expect(fixture.errors).toEqual([]);
  });

  it('an event keeps its remaining time to live over a restart', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.create('events/ns', event('old'));
    await fixture.create('events/ns', event('again', { lastTimestamp: '2026-01-02T03:44:05Z' }));
    await fixture.clock.advance(HOUR / 2);
    await fixture.controllers.end();
    fixture.restartControllers();
    await fixture.clock.advance(HOUR / 2 + 2_000);
    await fixture.idle();
    expect(events(fixture)).toEqual(['ns/again']);
    await fixture.clock.advance(HOUR);
    await fixture.idle();

    expect(events(fixture)).toEqual([]);
  });
});
