/** An expression or rule, and what the real server makes of it. */
export type Row = readonly [text: string, outcome: string];
