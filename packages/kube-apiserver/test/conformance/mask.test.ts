import { describe, expect, it } from '@jest/globals';
import { Masks } from './differential/mask.js';
import { maskedLines } from './kubectl/mask.js';

const VALUES = { server: 'https://127.0.0.1:1', namespace: 'ns-1', home: '/home/of' };
const HEAD =
  'Events:\n  Type     Reason                 Age   From                           Message\n  ----     ------                 ----  ----                           -------\n';
const REPAIR_EVENT =
  '  Warning  ClusterIPNotAllocated  3s    ipallocator-repair-controller  Cluster IP [IPv4]: 10.0.0.7 is not allocated; repairing\n';

describe('masks', () => {
  it.each<[string, string, readonly string[]]>([
    ['events of the IP repair controller only', `Name: a\n${HEAD}${REPAIR_EVENT}`, ['Name: a', 'Events:  <none>']],
    [
      'an event of the IP repair controller among others',
      `${HEAD}${REPAIR_EVENT}  Normal   Made                   5s    somebody                       it is made\n`,
      [
        'Events:',
        '  Type  Reason  Age  From  Message',
        '  ----  ------  ----  ----  -------',
        '  Normal  Made  AGE  somebody  it is made',
      ],
    ],
    ['no events', 'Events:  <none>\n', ['Events:  <none>']],
  ])('masked kubectl output omits events of the IP repair controller: %s', (_what, output, lines) => {
    expect(maskedLines(output, VALUES)).toEqual(lines);
  });

  it.each([
    'E1122 06:50:12.123456   12345 reflector.go:166] "Unhandled Error" err="k8s.io/client-go/tools/watch/informerwatcher.go:146: Failed to watch *unstructured.Unstructured: context deadline exceeded"',
    'W1122 06:50:12.123456   12345 reflector.go:1] "Warning: event bookmark expired" err="very short watch: Unexpected watch close"',
  ])('masked kubectl output omits messages about an expired watch: %j', (line) => {
    expect(maskedLines(`a deleted\n${line}\nerror: timed out\n`, VALUES)).toEqual(['a deleted', 'error: timed out']);
  });

  it.each([
    ['gen-', 'gen-abcde'],
    ['5', '5abcde'],
    ['Odd_', 'Odd_abcde'],
  ])('masked responses replace a generated name with the prefix %j', (generateName, name) => {
    expect(new Masks().value({ metadata: { generateName, name } })).toEqual({
      metadata: { generateName, name: 'made-NAME-1' },
    });
  });
});
