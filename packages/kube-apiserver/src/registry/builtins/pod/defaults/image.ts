const NAME_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?)';
const IMAGE = new RegExp(
  `^(?:${HOST}/)?${NAME_PART}(?:/${NAME_PART})*(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,})?$`,
);
const LONGEST_IMAGE = 1024;

/** The default imagePullPolicy: Always for the tag `latest` and for no tag, IfNotPresent for invalid image names too. */
export function pullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const match = image.length > LONGEST_IMAGE || /^[0-9a-f]{64}$/.test(image) ? null : IMAGE.exec(image);
  if (match === null) return 'IfNotPresent';
  const [, tag, digest] = match;
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}
