export { parseQuantity } from './library/kubernetes/quantity.js';
