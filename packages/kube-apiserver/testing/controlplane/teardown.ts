// Jest takes its global tear-down as a default export.
export { closeRun as default } from './coordinator.js';
