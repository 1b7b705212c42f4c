// Jest takes its global tear-down as a default export.
export { stopTestRun as default } from './coordinator.js';
