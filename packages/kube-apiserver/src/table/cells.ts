import type { Column } from '../resource.js';

/** The functions that compute the cells of a row, by the name of their column. */
export type Cells = Readonly<Record<string, Column['cell']>>;
