import { NO_IMAGE, releasedImage } from '../api/published.js';
import { FlagError, type Flags, type FlagValue } from '../runtime/flags/flags.js';

/**
 * The image that the flag `name` gives, else that of this release.
 * @throws FlagError where it is no image name, and where there is none: no image of a version between releases is published.
 */
export function requiredImage(flags: Flags, name: string, version: string): string {
  const image = imageOf(flags, name, version);
  if (image === undefined)
    throw new FlagError(
      `--${name} is required, since no image of version ${version} is published: ` +
        'name the one that you have built and pushed, such as registry.example.com/multicluster-engine:TAG',
    );
  return image;
}

/** As {@link requiredImage}; where there is none, a name whose pods say that no image is set. */
export function imageOrNone(flags: Flags, name: string, version: string): string {
  return imageOf(flags, name, version) ?? NO_IMAGE;
}

function imageOf(flags: Flags, name: string, version: string): string | undefined {
  const given = flags.find(name);
  return given === undefined ? releasedImage(version) : imageName(given);
}

/** `[host[:port]/]path[:tag][@digest]`, as in the OCI distribution specification. */
function imageName(given: FlagValue): string {
  const host = '[A-Za-z0-9.-]+(:\\d{1,5})?/';
  const name = '[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*';
  const pattern = new RegExp(`^(${host})?${name}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[a-z0-9]+:[0-9A-Fa-f]+)?$`);
  if (given.text.length > 1024 || !pattern.test(given.text))
    given.refuse('an image name: [host[:port]/]path[:tag][@digest]');
  return given.text;
}
