import { structFields, type GoType, type StructField } from '../builtin.js';
import { isArray, isObject, type Json, type JsonObject } from '../../json.js';
import { jsonType } from '../go/format.js';
import { child, index, shortened } from '../field.js';
import { decodeScalar, goTypeOf } from './scalar.js';
import { mapFields, mapItems } from '../walk.js';

export interface DecodedStruct {
  /** The value without unknown fields, and without nulls where Go keeps none. */
  readonly value: Json;
  /** Paths of unknown fields, in document order, at most 100. */
  readonly unknown: readonly string[];
  /**
   * The error of Go's decoder: `json: cannot unmarshal number into Go struct field …`. The value is not usable then.
   */
  readonly problem: string | undefined;
}

interface DecodeOptions {
  /** Whether the value comes from an object that was decoded before: an int32 overflow is truncated then, as in Go. */
  readonly copied?: boolean;
}

/**
 * Decodes JSON into the Go struct of a built-in definition: names are case-sensitive, the first value of a wrong type
 * is reported, null leaves a field unset. Zero values are kept.
 * @param definition such as `io.k8s.api.core.v1.ConfigMap`.
 */
export function decodeStruct(definition: string, value: Json, { copied = false }: DecodeOptions = {}): DecodedStruct {
  const decoder = new Decoder(copied);
  const type: GoType = { shape: 'struct', name: definition, pointer: false };
  try {
    const decoded = decoder.decode(type, goStructName(definition), value);
    return { value: decoded, unknown: decoder.unknown, problem: decoder.problem };
  } catch (error) {
    if (error instanceof Aborted) return { value, unknown: [], problem: error.message };
    throw error;
  }
}

const MAX_UNKNOWN = 100;

/** An UnmarshalJSON method failed: Go stops decoding. */
class Aborted extends Error {}

class Decoder {
  readonly unknown: string[] = [];
  problem: string | undefined;
  /** The struct of the current field, and the field names down to it, without indexes and map keys. */
  #struct = '';
  #fields: readonly string[] = [];
  #path = '';
  readonly #copied: boolean;

  constructor(copied: boolean) {
    this.#copied = copied;
  }

  decode(type: GoType, goName: string, value: Json): Json {
    if (value === null) return value;
    switch (type.shape) {
      case 'struct':
        return isObject(value) ? this.#decodeStruct(type.name, value) : this.#reportMismatch(value, goName);
      case 'list':
        return isArray(value)
          ? this.#decodeList(type.of, elementName(goName, type.of), value)
          : this.#reportMismatch(value, goName);
      case 'map':
        return isObject(value)
          ? this.#decodeMap(type.of, elementName(goName, type.of), value)
          : this.#reportMismatch(value, goName);
      case 'scalar':
        return this.#decodeScalar(type.name, goName, value);
    }
  }

  #decodeStruct(definition: string, value: JsonObject): Json {
    const known = fieldsOf(definition);
    const outer = { struct: this.#struct, fields: this.#fields, path: this.#path };
    const decoded = mapFields(value, (field, name) => {
      const path = child(outer.path, name);
      const found = known.get(name);
      if (found === undefined) {
        if (this.unknown.length < MAX_UNKNOWN) this.unknown.push(shortened(path));
        return undefined;
      }
      if (field === null) return undefined;
      this.#struct = lastSegment(definition);
      this.#fields = [...outer.fields, ...found.inlined, name];
      this.#path = path;
      return this.decode(found.field.type, found.field.goName, field);
    });
    this.#struct = outer.struct;
    this.#fields = outer.fields;
    this.#path = outer.path;
    return decoded;
  }

  #decodeList(of: GoType, goName: string, items: readonly Json[]): Json {
    const path = this.#path;
    const decoded = mapItems(items, (item, at) => {
      this.#path = index(path, at);
      return this.decode(of, goName, item);
    });
    this.#path = path;
    return decoded;
  }

  #decodeMap(of: GoType, goName: string, value: JsonObject): Json {
    const path = this.#path;
    const decoded = mapFields(value, (item, key) => {
      this.#path = child(path, key);
      return this.decode(of, goName, item);
    });
    this.#path = path;
    return decoded;
  }

  #decodeScalar(name: string, goName: string, value: Json): Json {
    if (this.#copied && name === 'int32' && typeof value === 'number' && Number.isInteger(value))
      return Number(BigInt.asIntN(32, BigInt(value)));
    const result = decodeScalar(name, value, this);
    switch (result.kind) {
      case 'decoded':
        return result.value;
      case 'invalid':
        this.problem ??= result.message;
        return value;
      case 'mismatch':
        return this.#reportMismatch(value, result.type ?? goTypeOf(name, goName), result.found);
      case 'fatal':
        throw new Aborted(result.message);
      case 'fatalMismatch':
        throw new Aborted(this.#message(result.found, result.type));
    }
  }

  /** Records the first error. Go continues decoding after it. */
  #reportMismatch(value: Json, type: string, found = jsonType(value)): Json {
    this.problem ??= this.#message(found, type);
    return value;
  }

  #message(found: string, type: string): string {
    const where = this.#fields.length === 0 ? 'Go value' : `Go struct field ${this.#struct}.${this.#fields.join('.')}`;
    return `json: cannot unmarshal ${found} into ${where} of type ${type}`;
  }

  /**
   * Decodes nested JSONSchemaProps, or a list of them. Go uses a decoder of its own for these: it reports no unknown
   * fields, and its error stops the decoding.
   */
  decodeNested(definition: string, value: Json): Json {
    const outer = { unknownCount: this.unknown.length, problem: this.problem };
    const struct: GoType = { shape: 'struct', name: definition, pointer: false };
    this.problem = undefined;
    const decoded = this.decode(
      isArray(value) ? { shape: 'list', of: struct, pointer: false } : struct,
      goStructName(definition),
      value,
    );
    if (this.problem !== undefined) throw new Aborted(this.problem);
    this.problem = outer.problem;
    this.unknown.length = outer.unknownCount;
    return decoded;
  }
}

interface KnownField {
  readonly field: StructField;
  /** Names of the inlined structs that contain the field. */
  readonly inlined: readonly string[];
}

const structs = new Map<string, ReadonlyMap<string, KnownField>>();

function fieldsOf(definition: string): ReadonlyMap<string, KnownField> {
  const before = structs.get(definition);
  if (before !== undefined) return before;
  const known = new Map<string, KnownField>();
  collect(definition, [], known);
  structs.set(definition, known);
  return known;
}

function collect(definition: string, inlined: readonly string[], into: Map<string, KnownField>): void {
  for (const field of structFields(definition)) {
    if (field.name !== '')
      into.set(field.name, {
        field,
        inlined: ['apiVersion', 'kind'].includes(field.name) && inlined.length === 0 ? typeMeta(field) : inlined,
      });
    else if (field.type.shape === 'struct') collect(field.type.name, [...inlined, lastSegment(field.type.name)], into);
  }
}

/** The apiVersion and kind of a top-level object are in the inlined TypeMeta; elsewhere they are plain fields. */
function typeMeta({ number }: StructField): readonly string[] {
  return number === 0 ? ['TypeMeta'] : [];
}

function lastSegment(definition: string): string {
  return definition.slice(definition.lastIndexOf('.') + 1);
}

/** `v1.ObjectMeta`. */
function goStructName(definition: string): string {
  return definition.split('.').slice(-2).join('.');
}

/** The Go type name of an element of a list or map, from that of the container. */
function elementName(goName: string, of: GoType): string {
  const inner = /^(?:\[\]|map\[\w+\])(.+)$/.exec(goName.replace(/^\*/, ''))?.[1];
  if (inner !== undefined) return inner.replace(/^\*/, '');
  if (of.shape === 'struct') return goStructName(of.name);
  return of.shape === 'scalar' ? goTypeOf(of.name, of.name) : goName;
}
