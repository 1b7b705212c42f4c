import { timestamp } from '../../runtime/vocabulary/meta.js';
import { endableLine, type StandingRelease } from '../../domain/placement/report/standingrelease.js';

/** Field `releases` of a document about a Placement; left out where there is none. */
export function releasesField(
  releases: readonly StandingRelease[],
  owner: { readonly namespace: string; readonly name: string },
): object {
  if (releases.length === 0) return {};
  return { releases: releases.map((one) => releaseDocument(one, owner)) };
}

function releaseDocument(one: StandingRelease, owner: Parameters<typeof releasesField>[1]): object {
  const { annotation, direction, release } = one;
  return {
    annotation,
    direction,
    ...(release === undefined ? {} : { until: timestamp(release.until) }),
    message: endableLine(one, owner),
  };
}
