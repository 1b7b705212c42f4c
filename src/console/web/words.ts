/** Words and counts as people read them. */

/** `PartiallySatisfied` as `partially satisfied`. */
export function spaced(word: string): string {
  return word.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

/** `1 cluster`, `1,200 clusters`. */
export function clustersText(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'cluster' : 'clusters'}`;
}
