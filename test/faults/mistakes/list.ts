import { AGENT } from './agent.js';
import { ENGINE } from './engine.js';
import { FLEET } from './fleet.js';
import { GATEWAY } from './gateway.js';
import type { Mistake } from './mistake.js';
import { PASS } from './pass.js';
import { RUNTIME } from './runtime.js';
import { SCHEDULING } from './scheduling.js';

export const MISTAKES: readonly Mistake[] = [
  ...SCHEDULING,
  ...PASS,
  ...AGENT,
  ...FLEET,
  ...ENGINE,
  ...GATEWAY,
  ...RUNTIME,
];
