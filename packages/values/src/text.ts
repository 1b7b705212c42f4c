export { byteLength, compareBytes, goFloat, goFloat64, goJson, goQuote, isInt64, wellFormed } from './text/go.js';
export { LOCAL_TIME, RFC3339, RFC3339_MICRO, timeProblem } from './text/gotime.js';
