/** What users can get from elsewhere than a checkout, by names that this project owns and nobody else can publish under. */
export interface Published {
  /** The name of the package on npm's registry. */
  readonly npmPackage?: string;
  /** The repository of the image, without a tag. */
  readonly image?: string;
}

/**
 * What this project has published. It is empty until the first release, which sets it (docs/how-to/release.md). While it is
 * empty, commands ask for an image, and pages use the checkout: somebody else could register a name that nobody owns.
 */
export const PUBLISHED: Published = Object.freeze({});

/** The image of every manifest that nobody has set one in: `.invalid` never resolves, so the pod says what is missing. */
export const NO_IMAGE = 'image-not-set.invalid/multicluster-engine';

/** The image of a release; undefined without one, as for a build between releases: its version has a `+`. */
export function releasedImage(version: string, published: Published = PUBLISHED): string | undefined {
  return published.image === undefined || version.includes('+') ? undefined : `${published.image}:${version}`;
}
