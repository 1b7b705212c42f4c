// Jest takes its global set-up as a default export.
export { openRun as default } from './coordinator.js';
