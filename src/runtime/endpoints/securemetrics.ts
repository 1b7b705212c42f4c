import { issueServingCertificate, LIFETIME_MS } from '../tls/serving.js';
import { ServingCertificateFiles, type CertificateFiles } from '../tls/filereloader.js';
import { MetricsAccess } from './metricsaccess.js';
import type { EndpointSecurity } from './server.js';
import type { ReviewAccess } from '../client/reviews.js';
import { systemClock, type Clock, type Timer } from '../clock.js';
import type { Logger } from '../logger.js';

/** How often certificate files are read, and whether a self-signed certificate is due for renewal is checked, ms. */
const RELOAD_MS = 5_000;
const RENEWAL_CHECK_MS = 3_600_000;

type UseCertificate = (cert: string, key: string) => void;

/** What the metrics of a process are protected with. */
interface SecureMetricsOptions {
  readonly review: ReviewAccess;
  /** PEM files of the certificate and its key; undefined: a self-signed one. */
  readonly tls: CertificateFiles | undefined;
  readonly log: Logger;
}

/** HTTPS for the metrics of a process, for the tokens that the API server allows. */
export function secureMetrics({ review, tls, log }: SecureMetricsOptions): EndpointSecurity {
  const access = new MetricsAccess({ review, clock: systemClock, log });
  if (tls === undefined) return { access, ...selfSigned(systemClock) };
  const options = { clock: systemClock, log, metrics: { reloaded: () => undefined }, everyMs: RELOAD_MS };
  let files: ServingCertificateFiles | undefined;
  return {
    access,
    serve: async (use) => {
      files = new ServingCertificateFiles(tls, ({ cert, key }) => use(cert, key), options);
      files.start();
    },
    stop: () => files?.stop(),
  };
}

/** A certificate that lives as long as the process, and is replaced at two thirds of its validity. */
export function selfSigned(clock: Clock): Pick<EndpointSecurity, 'serve' | 'stop'> {
  let timer: Timer | undefined;
  let renewAt = 0;
  let stopped = false;
  const issue = async (use: UseCertificate): Promise<void> => {
    const now = clock.now();
    const pair = await issueServingCertificate({ names: ['localhost'], now });
    use(pair.certificate, pair.privateKey);
    renewAt = now + (LIFETIME_MS * 2) / 3;
  };
  const arm = (use: UseCertificate): void => {
    if (stopped) return;
    timer = clock.after(RENEWAL_CHECK_MS, () => {
      // A certificate that cannot be made now is tried again at the next check; the one in use stays.
      const renewed = clock.now() < renewAt ? Promise.resolve() : issue(use).catch(() => undefined);
      void renewed.then(() => arm(use));
    });
  };
  return {
    serve: async (use) => {
      await issue(use);
      arm(use);
    },
    stop: () => {
      stopped = true;
      timer?.cancel();
    },
  };
}
