import { readFileSync, writeFileSync } from 'node:fs';

import { startBackend } from '../../../testing/controlplane/start.js';
import { targetOf } from '../target.js';
import { FILES } from './files.js';
import { Player } from './player.js';
import { installThings } from './things.js';
import { readExchanges, writeExchanges, type Scenario } from './transcript.js';

/** Sends the recorded requests to kube-apiserver and records its responses again: `node dist/test/conformance/exchange/record.js`. */
const plane = await startBackend('real', { size: 'api', label: 'conformance-record' });
try {
  const target = await targetOf(plane, 'real');
  await installThings(target);
  const player = new Player(target);
  for (const { name, file } of FILES) {
    const scenarios: Scenario[] = [];
    for (const [at, scenario] of readExchanges(readFileSync(file, 'utf8')).entries()) {
      const answers = await player.play(scenario, `record-${name}-${at}`);
      scenarios.push({
        title: scenario.title,
        exchanges: scenario.exchanges.map((exchange, index) => ({ ...exchange, response: answers[index] ?? [] })),
      });
    }
    writeFileSync(file, writeExchanges(scenarios));
  }
  player.close();
} finally {
  await plane.stop();
}
