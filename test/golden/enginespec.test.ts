import { problemText } from '../../src/domain/conditions.js';
import { validateTargetNamespace } from '../../src/domain/engine/validation.js';
import { describeRecorded, type Case } from './recorded.js';

const targetNamespaces: readonly Case[] = [
  [
    'a target namespace that was edited after the installation',
    () => validateTargetNamespace({ targetNamespace: 'b' }, 'a', undefined).map(problemText),
  ],
  [
    'a target namespace that is not the one of --namespace',
    () => validateTargetNamespace({}, undefined, 'a').map(problemText),
  ],
  [
    'a target namespace that is unchanged',
    () => validateTargetNamespace({ targetNamespace: 'a' }, 'a', undefined).map(problemText),
  ],
];

describeRecorded('engine-spec', targetNamespaces);
