// Jest takes its global set-up as a default export.
export { startTestRun as default } from './coordinator.js';
