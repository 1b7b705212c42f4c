import { PassThrough } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { lastLineOf, Tail } from '../../../../src/standalone/local/process/tail.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

const UNCAUGHT = `node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use 127.0.0.1:8443
    at Server.setupListenHandle [as _listen2] (node:net:1940:16)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1919:8) {
  code: 'EADDRINUSE'
}

Node.js v22.1.0
`;

describe('the last line of the output of a process', () => {
  it.each([
    ['nothing', '', ''],
    ['one line', 'hello\n', 'hello'],
    ['a line without its end', 'first\nlast', 'last'],
    ['blank lines after it', 'last\r\n\n  \n', 'last'],
    ['control characters', 'a\tb\u001b[31mc\n', 'a b [31mc'],
    ['a line of a JSON log', '{"level":"info","msg":"listening"}\n', 'listening'],
    [
      'an error in a JSON log',
      '{"level":"error","err":{"message":"listen EADDRINUSE: x"},"msg":"cannot listen"}\n',
      'cannot listen: listen EADDRINUSE: x',
    ],
    [
      'a reason in a JSON log',
      '{"level":"error","reason":"listen EADDRINUSE: x","msg":"cannot start"}\n',
      'cannot start: listen EADDRINUSE: x',
    ],
    ['an error that is a text', '{"msg":"no","err":"why"}\n', 'no: why'],
    ['JSON that says nothing', '{"a":1}\n', '{"a":1}'],
    ['JSON that is cut', '{"msg":"lo\n', '{"msg":"lo'],
    ['an error that nobody caught', UNCAUGHT, 'Error: listen EADDRINUSE: address already in use 127.0.0.1:8443'],
    ['more than fits', 'x'.repeat(1000), `${'x'.repeat(297)}…`],
  ])('the last line of the output of a process is found: %s', (_name, text, line) => {
    expect(lastLineOf(text)).toBe(line);
  });

  it('the last line of the output of a process is returned after all output was read, or after a limited time', async () => {
    const [ended, open, clock] = [new PassThrough(), new PassThrough(), new ManualClock()];
    const [first, second] = [new Tail(ended).lastLine(clock), new Tail(open).lastLine(clock)];
    ended.end('late\n');
    open.write('so far\n');
    expect(await first).toBe('late');
    await clock.advance(500);
    expect(await second).toBe('so far');
  });
});
