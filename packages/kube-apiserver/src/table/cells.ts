import type { Column } from '../resource.js';

/** What a column shows, by its name. */
export type Cells = Readonly<Record<string, Column['cell']>>;
