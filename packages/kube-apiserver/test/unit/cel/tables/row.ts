/** An expression or rule, and its result in kube-apiserver. */
export type Row = readonly [text: string, outcome: string];
