import type { TokenServerConfig } from '../../src/runtime/flags/tokenserver.js';
import { runComponent } from '../../src/console/hub/run.js';
import '../placement/probe.js';

/**
 * The console on a hub, in a process of its own, with a probe in it: the program itself refuses to be started with one. The
 * argument is its configuration in JSON.
 */
const config: TokenServerConfig = JSON.parse(process.argv[2] ?? '');
process.exit(await runComponent(config));
