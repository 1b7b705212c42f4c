import { describe, expect, it } from '@jest/globals';
import { Masks } from './differential/mask.js';
import { maskedLines } from './kubectl/mask.js';

const PLACES = { server: 'https://127.0.0.1:1', namespace: 'ns-1', home: '/home/of' };
const HEAD =
  'Events:\n  Type     Reason                 Age   From                           Message\n  ----     ------                 ----  ----                           -------\n';
const BOOKED =
  '  Warning  ClusterIPNotAllocated  3s    ipallocator-repair-controller  Cluster IP [IPv4]: 10.0.0.7 is not allocated; repairing\n';

describe('what one server does in its own time', () => {
  it.each<[string, string, readonly string[]]>([
    ['nothing but looks at addresses', `Name: a\n${HEAD}${BOOKED}`, ['Name: a', 'Events:  <none>']],
    [
      'such a look among others',
      `${HEAD}${BOOKED}  Normal   Made                   5s    somebody                       it is made\n`,
      [
        'Events:',
        '  Type  Reason  Age  From  Message',
        '  ----  ------  ----  ----  -------',
        '  Normal  Made  AGE  somebody  it is made',
      ],
    ],
    ['none', 'Events:  <none>\n', ['Events:  <none>']],
  ])('is not compared in what kubectl prints: events of %s', (_what, output, lines) => {
    expect(maskedLines(output, PLACES)).toEqual(lines);
  });

  it.each([
    'E1122 06:50:12.123456   12345 reflector.go:166] "Unhandled Error" err="k8s.io/client-go/tools/watch/informerwatcher.go:146: Failed to watch *unstructured.Unstructured: context deadline exceeded"',
    'W1122 06:50:12.123456   12345 reflector.go:1] "Warning: event bookmark expired" err="very short watch: Unexpected watch close"',
  ])('is not compared in what kubectl prints: a watch that its own deadline ended, %j', (line) => {
    expect(maskedLines(`a deleted\n${line}\nerror: timed out\n`, PLACES)).toEqual(['a deleted', 'error: timed out']);
  });

  it.each([
    ['gen-', 'gen-abcde'],
    ['5', '5abcde'],
    ['Odd_', 'Odd_abcde'],
  ])('is not compared in an answer: a name made of %j', (generateName, name) => {
    expect(new Masks().value({ metadata: { generateName, name } })).toEqual({
      metadata: { generateName, name: 'made-NAME-1' },
    });
  });
});
