import { dump } from 'js-yaml';

/** Renders the line that holds a token. `indent`: its spaces; `key`: what stands before the token, such as `replicas: `. */
type Insert = (indent: string, key: string) => string;

/**
 * An object with pieces of Go template in it. Its methods return tokens, which take the place of values in the object;
 * {@link text} writes the object as YAML and puts the pieces where the tokens are.
 */
export class Template {
  readonly #inserts: Insert[] = [];

  /** The value of an expression, such as `.Values.replicas`. */
  value(expression: string): string {
    return this.#token((indent, key) => `${indent}${key}{{ ${expression} }}`);
  }

  /** A value that is an object or a list. */
  tree(expression: string): string {
    return this.#token((indent, key) => `${indent}${key}${tree(expression, indent)}`);
  }

  /** A field that is left out where the value, an object or a list, is empty. */
  optional(expression: string): string {
    return this.#token((indent, key) => `${indent}${key}${tree('.', indent)}`, expression);
  }

  /** A scalar field that is left out where the value is empty. */
  optionalScalar(expression: string): string {
    return this.#token((indent, key) => `${indent}${key}{{ . }}`, expression);
  }

  /** A scalar field that is left out where the condition, an expression, is empty. */
  scalarWhere(condition: string, scalar: string): string {
    return this.#token((indent, key) => `${indent}${key}${scalar}`, condition);
  }

  /** A list item that is left out where the value is empty; in `item`, `.` is the value. */
  optionalItem(expression: string, item: string): string {
    return this.#token((indent) => `${indent}- ${item}`, expression);
  }

  /** The items of the value, a list, as items of this list. */
  optionalItems(expression: string): string {
    return this.#token((indent) => `${indent}{{- toYaml . | nindent ${indent.length} }}`, expression);
  }

  /** The items of a list made from those of the value, one after another; in the lines of `item`, `.` is one. */
  each(expression: string, item: readonly string[]): string {
    return this.#token((indent) => {
      const lines = item.map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`);
      return [`${indent}{{- range ${expression} }}`, ...lines, `${indent}{{- end }}`].join('\n');
    });
  }

  /** The object as a template. Text of the object itself that Helm would take for a template is escaped. */
  text(object: object): string {
    const written = dump(object, { lineWidth: -1, noRefs: true }).replaceAll('{{', '{{ "{{" }}');
    return written.replaceAll(/^( *)(.*)__piece_(\d+)__$/gm, (_line, indent: string, key: string, at: string) => {
      const insert = this.#inserts[Number(at)];
      if (insert === undefined) throw new Error(`there is no piece ${at}`);
      return insert(indent, key);
    });
  }

  /** `condition`: the value that must not be empty, and is `.` within the piece. */
  #token(insert: Insert, condition?: string): string {
    const guarded: Insert = (indent, key) =>
      `${indent}{{- with ${condition ?? ''} }}\n${insert(indent, key)}\n${indent}{{- end }}`;
    this.#inserts.push(condition === undefined ? insert : guarded);
    return `__piece_${this.#inserts.length - 1}__`;
  }
}

function tree(expression: string, indent: string): string {
  return `{{- toYaml ${expression} | nindent ${indent.length + 2} }}`;
}

/** A text that is used where `condition` is true, and another one where it is not. Whole lines, both. */
export function when(condition: string, text: string, otherwise?: string): string {
  const rest = otherwise === undefined ? '' : `{{- else }}\n${otherwise}`;
  return `{{- if ${condition} }}\n${text}${rest}{{- end }}\n`;
}

/** Objects as one file. */
export function joined(texts: readonly string[]): string {
  return texts.join('---\n');
}
