import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { secureMetrics, selfSigned } from '../../../src/runtime/endpoints/securemetrics.js';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { RecordingLog } from '../../support/fakes/log.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the self-signed certificate of the metrics', () => {
  it('the self-signed certificate is kept for 60 of its 90 days, then replaced', async () => {
    const clock = new ManualClock();
    const served: X509Certificate[] = [];
    const { serve, stop } = selfSigned(clock);
    await serve((cert) => void served.push(new X509Certificate(cert)));

    for (let days = 1; days < 60; days++) await clock.advance(DAY_MS);
    await clock.advance(23 * HOUR_MS);
    const kept = served.length;
    await waitFor('another certificate', async () => {
      await clock.advance(HOUR_MS);
      return served.length > 1;
    });
    stop();

    expect(kept).toBe(1);
    expect(served[0]?.subjectAltName).toBe('DNS:localhost');
    expect(served[1]?.serialNumber).not.toBe(served[0]?.serialNumber);
  });
});

describe('the certificate files of the metrics', () => {
  it('the certificate files of the metrics are served, and a pair that does not fit ends the start', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'metrics-'));
    const [cert, key] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
    const [pair, other] = await Promise.all(
      [1, 2].map(() => issueServingCertificate({ names: ['a'], now: Date.now() })),
    );
    const review = (): never => {
      throw new Error('no review is expected');
    };
    const { serve, stop } = secureMetrics({ review, tls: { cert, key }, log: new RecordingLog() });
    const served: (readonly string[])[] = [];
    writeFileSync(cert, pair?.certificate ?? '');
    writeFileSync(key, other?.privateKey ?? '');

    await expect(serve((...texts) => void served.push(texts))).rejects.toThrow(
      'the private key does not belong to the certificate',
    );
    writeFileSync(key, pair?.privateKey ?? '');
    await serve((...texts) => void served.push(texts));
    stop();
    rmSync(folder, { recursive: true });

    expect(served).toEqual([[pair?.certificate, pair?.privateKey]]);
  });
});
