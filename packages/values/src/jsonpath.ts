/** Templates of kubectl's `-o jsonpath`. Apart from the server, so that a program can print by them without loading it. */
export type { Json } from './json.js';
export { filled } from './jsonpath/jsonpath.js';
export { parseTemplate, TemplateError, type Template } from './jsonpath/jsonpathparser.js';
