import { recordsIn, field, textField, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { pathText, type Change } from './forms.js';

/** Texts of Kubernetes that say which rule was broken, and leave out the value or show its type. */
const WITHOUT_VALUE = /Required value|Too long|Too many|must be of type|is missing|must have at (most|least)/;
const RULE =
  /\b(must|may|should|needs?|required|supported values|is not a|is fixed|Duplicate|Required|Too (long|many)|unknown|cannot|allowed|either)\b/;

/** What is wrong with the answer to a change that was refused: it has to name the field, the value and the rule. */
export function faultOfRefusal(code: number, answer: JsonRecord, part: string, change: Change): string | undefined {
  const message = textField(answer, 'message');
  if (code !== 422) return `${code}: ${message}`;
  const causes = recordsIn(field(field(answer, 'details'), 'causes'));
  const path = `${part}.${pathText(change.path)}`;
  const parent = path.replace(/(\.[^.[]*|\[\d+\])$/, '');
  const named = causes.filter((one) => isNear(textField(one, 'field'), path, parent));
  if (named.length === 0) return `no cause is near ${path}: ${message}`;
  if (!named.some((one) => RULE.test(textField(one, 'message')))) return `no rule: ${message}`;
  const { value } = change;
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= 100;
  const says = (one: JsonRecord): boolean => {
    const text = textField(one, 'message');
    const shown = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
    return WITHOUT_VALUE.test(text) || text.includes(shown) || text.includes(String(value));
  };
  return isScalar && !named.some(says) ? `not the value: ${message}` : undefined;
}

function isNear(name: string, path: string, parent: string): boolean {
  return name !== '' && (name.startsWith(parent) || path.startsWith(name));
}
