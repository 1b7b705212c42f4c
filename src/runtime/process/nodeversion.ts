/** As `engines` of package.json. */
const OLDEST_NODE = { major: 20, minor: 19 };

/** What is wrong with a release of Node; undefined where it is new enough. */
export function nodeFault(release: string): string | undefined {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) return undefined;
  return `needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer, this is ${release} (${process.execPath})`;
}
