import { startTokenController, type TokenControllerOptions } from './serviceaccounttokens.js';
import { startClusterRoleAggregation } from './clusterroleaggregation.js';
import { startEventExpiry } from './eventexpiry.js';
import { startGarbageCollector } from './garbagecollector/controller.js';
import { startNamespaceController } from './namespace/controller.js';
import { startPerNamespaceController } from './pernamespace/controller.js';
import type { ControllerOptions } from './options.js';
import { startPolicyStatus } from './policystatus.js';
import { rootCertificate } from './pernamespace/rootca.js';
import { defaultServiceAccount } from './pernamespace/defaultserviceaccount.js';

/** The controllers of kube-controller-manager that the kinds served here need. */
export interface Controllers {
  /** Stops the controllers and waits for reconciliations that run. */
  end(): Promise<void>;
}

/** @param parts the CA bundle, which `kube-root-ca.crt` holds too, and the issuer of tokens */
export function startControllers(options: ControllerOptions, parts: TokenControllerOptions): Controllers {
  const running = [
    startEventExpiry(options),
    startPerNamespaceController(options, defaultServiceAccount),
    startPerNamespaceController(options, rootCertificate(parts.caBundle)),
    startTokenController(options, parts),
    startClusterRoleAggregation(options),
    startPolicyStatus(options),
    startNamespaceController(options),
    startGarbageCollector(options),
  ];
  return {
    async end() {
      await Promise.all(running.map((one) => one.end()));
    },
  };
}
