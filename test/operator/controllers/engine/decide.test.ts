import { describe, expect, it } from '@jest/globals';

import { INSTALLER_ROLE } from '../../../../src/api/names.js';
import { decide, type Decision } from '../../../../src/operator/controllers/engine/decide.js';
import type { Input } from '../../../../src/operator/controllers/engine/gather.js';
import { effectiveSpec } from '../../../../src/domain/engine/spec.js';
import { desired, engine, identity, NAMESPACE, settings, templates } from '../../../support/builders/engine.js';

const ERROR = { field: 'spec.x', message: '1: must not' };
const withoutFinalizer = engine({ metadata: { finalizers: [] } });

function input(over: Partial<Input> = {}): Input {
  return {
    engine: engine(),
    identity,
    deleting: false,
    paused: false,
    anotherEngine: undefined,
    fieldErrors: [],
    spec: effectiveSpec({}),
    namespace: NAMESPACE,
    namespaceObject: undefined,
    named: [],
    bindings: [],
    ...over,
  };
}

describe('the decision about an engine', () => {
  it.each<[string, Partial<Input>, Decision['kind']]>([
    ['installs a served engine', {}, 'install'],
    ['refuses an engine beside the served one', { anotherEngine: 'first' }, 'refuse'],
    ['refuses an engine with an invalid spec', { fieldErrors: [ERROR] }, 'refuse'],
    ['observes a paused engine', { paused: true }, 'observe'],
    ['observes a paused engine whose spec is invalid', { paused: true, fieldErrors: [ERROR] }, 'observe'],
    ['uninstalls a deleted engine', { deleting: true }, 'uninstall'],
    ['uninstalls a deleted engine beside the served one', { deleting: true, anotherEngine: 'first' }, 'uninstall'],
    ['holds the uninstall of a paused engine', { deleting: true, paused: true }, 'pauseUninstall'],
    ['does nothing for a deleted engine without the finalizer', { deleting: true, engine: withoutFinalizer }, 'none'],
  ])('the decision %s', (_name, over, kind) => {
    expect(decide(input(over), { templates, settings }).kind).toBe(kind);
  });

  it('the decision to install has all desired objects', () => {
    expect(decide(input(), { templates, settings })).toEqual({ kind: 'install', desired: desired() });
  });

  it('the decision to uninstall has the namespace and the installer binding', () => {
    expect(decide(input({ deleting: true }), { templates, settings })).toEqual({
      kind: 'uninstall',
      namespace: NAMESPACE,
      bindings: desired().filter(({ object }) => object.metadata.name === INSTALLER_ROLE),
    });
  });

  it('the decision to uninstall an engine whose spec was never valid has no namespace', () => {
    const over = { deleting: true, fieldErrors: [ERROR] };

    expect(decide(input(over), { templates, settings })).toMatchObject({ kind: 'uninstall', namespace: undefined });
  });

  it('the decision to uninstall with --namespace has no binding', () => {
    const config = { templates, settings: { ...settings, onlyNamespace: NAMESPACE } };

    expect(decide(input({ deleting: true }), config)).toMatchObject({ kind: 'uninstall', bindings: [] });
  });
});
