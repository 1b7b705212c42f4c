import { estimateLibraryCall } from './library.js';
import { ONE, PER_CHAR, perChar, searchCost, type CallShape, type Estimate, type Operand } from './operand.js';
import { plus, scale, times, type Range } from './range.js';

/** Estimates a call: libraries first, then the functions of the language. Undefined means a cost of 1. */
export function estimateCall(name: string, overload: string, call: CallShape): Estimate | undefined {
  return estimateLibraryCall(name, overload, call) ?? standard(overload, call);
}

const COMPARED = /^(?:equals|not_equals|(?:less|less_equals|greater|greater_equals)_(?:string|bytes))$/;

function standard(overload: string, { target, args: [first, second] }: CallShape): Estimate | undefined {
  if (first === undefined) return undefined;
  if (COMPARED.test(overload) && second !== undefined) return compared(overload, first, second);
  switch (overload) {
    case 'string_format':
      return perChar(target);
    case 'string_to_bytes':
      return { cost: scale(first.size, PER_CHAR), size: { min: first.size.min, max: first.size.max * 4 } };
    case 'bytes_to_string':
      return { cost: scale(first.size, PER_CHAR), size: { min: Math.floor(first.size.min / 4), max: first.size.max } };
    case 'strings_quote':
      return { cost: scale(first.size, PER_CHAR), size: { min: first.size.min + 2, max: first.size.max * 2 + 2 } };
    case 'starts_with_string':
    case 'ends_with_string':
      return perChar(first);
    case 'in_list':
      return second === undefined ? undefined : { cost: second.size };
    case 'matches_string':
      return asEstimate(searchCost(target, first));
    case 'contains_string':
      return target === undefined
        ? undefined
        : { cost: times(scale(target.size, PER_CHAR), scale(first.size, PER_CHAR)) };
    default:
      return second === undefined ? undefined : added(overload, first, second);
  }
}

function asEstimate(cost: Range | undefined): Estimate | undefined {
  return cost === undefined ? undefined : { cost };
}

function added(overload: string, a: Operand, b: Operand): Estimate | undefined {
  const size = plus(a.size, b.size);
  if (overload === 'add_list') return { cost: ONE, size };
  return overload === 'add_string' || overload === 'add_bytes' ? { cost: scale(size, PER_CHAR), size } : undefined;
}

/**
 * Opaque types of the network and Kubernetes libraries compare at cost 1; other values up to the length of the shorter
 * one.
 */
function compared(overload: string, a: Operand, b: Operand): Estimate {
  if (
    overload === 'equals' &&
    a.type.text === b.type.text &&
    (a.type.kind === 'struct' || a.type.kind === 'opaque') &&
    /^(?:net|kubernetes)\./.test(a.type.name)
  ) {
    return { cost: ONE };
  }
  const max = Math.min(a.size.max, b.size.max);
  return { cost: scale({ min: max > 0 ? 1 : 0, max }, PER_CHAR) };
}
