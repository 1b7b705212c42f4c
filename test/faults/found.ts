import { readPlan, type Plan } from './plan.js';

/** A fault of this product that a plan has found: it stays found. */
export interface Found {
  /** What the product did. */
  readonly what: string;
  /** The day of the first commit that had it. */
  readonly since: string;
  /** What it does instead. */
  readonly mendedBy: string;
  readonly plan: Plan;
}

const TEXTS: readonly (Omit<Found, 'plan'> & { readonly plan: string })[] = [
  {
    what: 'did not take back a report that the hub had stored without an answer, so that a problem stood there that was over',
    since: '2026-11-23',
    mendedBy: 'after a failed write the agent writes its report again, also where it is the one before',
    plan: '{"scenario":"agents/silence","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"agent-b patch secrets hub-token"},"when":"before","what":{"kind":"outage","status":403,"ms":5000,"all":false}},{"where":{"step":2,"of":"write","n":1,"name":"agent-b patch managedclusters.cluster.fleetmgmt.io/status b"},"when":"applied","what":{"kind":"silence"}}],"from":1,"to":2}',
  },
  {
    what: 'held deleted clusters for 15 minutes more, when the decision without them could not be stored at once',
    since: '2026-11-27',
    mendedBy: 'how many were held is remembered until that decision is stored',
    plan: '{"scenario":"timed/bulk-deletion","seed":0,"faults":[{"where":{"step":3,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"outage","status":403,"ms":30000,"all":false}}],"from":0,"to":2}',
  },
  {
    what: 'took back clusters that had come in with an update whose answer was lost, after its repetition was refused',
    since: '2026-11-21',
    mendedBy: 'after any failed write of a decision the object is read before the next pass',
    plan: '{"scenario":"timed/both-bounds","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"applied","what":{"kind":"reset"}},{"where":{"step":2,"of":"write","n":2,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"outage","status":404,"ms":30000,"all":false}}],"from":1,"to":3}',
  },
  {
    what: 'tainted a cluster with a short lease duration that renewed all the time, while the watch of Leases was silent',
    since: '2026-11-23',
    mendedBy: 'a taint for silence waits until the watch has delivered something since',
    plan: '{"scenario":"agents/join","seed":0,"faults":[{"where":{"step":3,"of":"event","n":6,"name":"operator event leases.coordination.k8s.io"},"when":"watch","what":{"kind":"mute"}}],"from":1,"to":3}',
  },
  {
    what: 'left a cluster that says it is available for ever, where the definition was gone when nobody reported for it any more',
    since: '2026-11-28',
    mendedBy: 'it is tried for a minute before the engine goes on without that',
    plan: '{"scenario":"engine/local-cluster","seed":0,"faults":[{"where":{"step":3,"of":"write","n":1,"name":"operator patch managedclusters.cluster.fleetmgmt.io/status headquarters"},"when":"before","what":{"kind":"definition","ms":10000}}],"from":2,"to":4}',
  },
  {
    what: 'uninstalled an engine that was gone again and again, until its watch said that it was gone',
    since: '2026-11-22',
    mendedBy: 'an engine whose last finalizer was removed counts as gone at once',
    plan: '{"scenario":"engine/second-engine","seed":0,"faults":[{"where":{"step":3,"of":"event","n":3,"name":"operator event multiclusterengines.multicluster.platform.io"},"when":"watch","what":{"kind":"late","ms":2000}}],"from":2,"to":4}',
  },
  {
    what: 'wrote the health of a cluster 40 times a second, as long as the API server refused it or answered that it does not exist',
    since: '2026-11-23',
    mendedBy: 'a pass that waits, as one does between two tries, no longer resets the backoff',
    plan: '{"scenario":"agents/silence","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"operator patch managedclusters.cluster.fleetmgmt.io/status a"},"when":"before","what":{"kind":"outage","status":404,"ms":30000,"all":false}}],"from":1,"to":3}',
  },
  {
    what: 'left the namespace of an engine for ever, after one list of it was refused although the operator may list it',
    since: '2026-11-21',
    mendedBy: 'a refusal that nothing explains is asked again for a minute',
    plan: '{"scenario":"engine/own-namespace","seed":0,"faults":[{"where":{"step":3,"of":"read","n":1,"name":"operator list persistentvolumeclaims"},"when":"before","what":{"kind":"answer","status":403}}],"from":2,"to":4}',
  },
  {
    what: 'renewed the Lease of a cluster that another one of the same name had taken, so that both reported',
    since: '2026-11-23',
    mendedBy: 'a renewal names its holder, and the policy of the hub refuses another one',
    plan: '{"scenario":"agents/twin","seed":0,"faults":[]}',
  },
  {
    what: 'told a client that its write was carried out, when a proxy before the API server answered with a page and code 200',
    since: '2026-11-22',
    mendedBy: 'an answer that is not JSON leaves open whether it was',
    plan: '{"scenario":"gateway/create","seed":0,"faults":[{"where":{"step":1,"of":"write","n":1,"name":"gateway post placements.cluster.fleetmgmt.io"},"when":"before","what":{"kind":"page"}}],"from":0,"to":2}',
  },
  {
    what: 'forgot which clusters were selected, after an object that somebody deleted could not be made again',
    since: '2026-11-21',
    mendedBy: 'what was published is kept until it is known whether a write is stored',
    plan: '{"scenario":"placement/plain","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"operator create placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"answer","status":504,"reason":"Timeout"}}]}',
  },
  {
    what: 'asked for definitions that it could not read only with the next resync, so that a definition made anew was not noticed',
    since: '2026-11-27',
    mendedBy: 'they are asked for again after a minute',
    plan: '{"scenario":"placement/plain","seed":0,"faults":[{"where":{"step":1,"of":"read","n":1,"name":"operator get customresourcedefinitions.apiextensions.k8s.io managedclusters.cluster.fleetmgmt.io"},"when":"before","what":{"kind":"answer","status":403}}],"from":0,"to":2}',
  },
  {
    what: 'made the object of a Placement that was gone 20 times a second, while its watch of Placements was late',
    since: '2026-11-21',
    mendedBy: 'the Placement is read before an object that somebody deleted is made again',
    plan: '{"scenario":"placement/plain","seed":0,"faults":[{"where":{"step":9,"of":"event","n":1,"name":"operator event placements.cluster.fleetmgmt.io"},"when":"watch","what":{"kind":"late","ms":30000}}],"from":8,"to":9}',
  },
  {
    what: 'did not say what waits again once a window closed in which a pause or a budget had kept it, but for a restart',
    since: '2026-11-28',
    mendedBy: 'the decision is made again when the open window closes',
    plan: '{"scenario":"timed/pause","seed":0,"faults":[{"where":{"step":8,"of":"read","n":1,"name":"operator get customresourcedefinitions.apiextensions.k8s.io managedclusters.cluster.fleetmgmt.io"},"when":"before","what":{"kind":"crash","ms":1000}}],"from":6,"to":7}',
  },
  {
    what: 'forgot the release of a cluster whose definition was lost, when the decision without it could not be stored at once',
    since: '2026-11-27',
    mendedBy: 'the hold and its releases are remembered until that decision is stored',
    plan: '{"scenario":"timed/definitions","seed":0,"faults":[{"where":{"step":4,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"outage","status":404,"ms":30000,"all":false}}],"from":2,"to":4}',
  },
  {
    what: 'applied the status of a cluster again with each resync, after somebody else had written the time of a taint there',
    since: '2026-11-23',
    mendedBy: 'what an apply cannot take away is taken away by an update',
    plan: '{"scenario":"timed/sets-and-health","seed":0,"faults":[],"from":8,"to":9}',
  },
  {
    what: 'lost what an emptied object had recorded, when somebody else wrote into the object that was to take it over',
    since: '2026-11-28',
    mendedBy: 'a write of the history alone that conflicts is made again',
    plan: '{"scenario":"placement/emptied-piece","seed":0,"faults":[{"where":{"step":3,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"foreign","field":"label"}}],"from":1,"to":3}',
  },
  {
    what: 'stopped an agent that had found another cluster of its name, before its token could be stored',
    since: '2026-11-28',
    mendedBy: 'it stops once its token is stored',
    plan: '{"scenario":"agents/twin","seed":0,"faults":[{"where":{"step":1,"of":"write","n":1,"name":"agent-b patch secrets hub-token"},"when":"before","what":{"kind":"answer","status":403}}],"from":0,"to":2}',
  },
  {
    what: 'said of a cluster that had been silent before the operator was started again that its clock was wrong',
    since: '2026-11-23',
    mendedBy:
      'the time of a renewal is compared with that at which the API server has stored it, and not with that at which it is read',
    plan: '{"scenario":"agents/silence","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"operator patch managedclusters.cluster.fleetmgmt.io/status a"},"when":"before","what":{"kind":"answer","status":429}},{"where":{"step":2,"of":"write","n":2,"name":"operator patch managedclusters.cluster.fleetmgmt.io/status a"},"when":"answered","what":{"kind":"crash","ms":1000}}],"from":0,"to":2}',
  },
  {
    what: 'took the taint off a silent cluster when the operator started, where its clock rounded the time up at which the Lease was read',
    since: '2026-11-23',
    mendedBy:
      'that time is rounded down; a start of the programs in the middle of a scenario may change nothing that is stored',
    plan: '{"scenario":"agents/silence","seed":0,"faults":[],"from":2,"to":3}',
  },
  {
    what: 'left the join token of a cluster valid, after one answer that its Secret was gone or another one',
    since: '2026-11-23',
    mendedBy: 'the Secret is deleted three times, a minute apart',
    plan: '{"scenario":"agents/claims","seed":0,"faults":[{"where":{"step":0,"of":"write","n":1,"name":"agent-a delete secrets a"},"when":"before","what":{"kind":"answer","status":409}}],"from":0,"to":2}',
  },
  {
    what: 'said that an engine was ready, whose objects it had deleted a moment ago for a component that was off, while their watch was late',
    since: '2026-11-28',
    mendedBy: 'an object counts as applied only by a cache that has the last own write to it',
    plan: '{"scenario":"engine/components","seed":0,"faults":[{"where":{"step":1,"of":"lease","n":1,"name":"operator get leases.coordination.k8s.io multicluster-engine-engine"},"when":"before","what":{"kind":"behind","ms":20000}}],"from":1,"to":3}',
  },
  {
    what: 'wrote the status of a cluster set once a second in vain, while the watch of sets was silent',
    since: '2026-11-21',
    mendedBy: 'after a conflict it waits for the watch, and half a minute at the longest',
    plan: '{"scenario":"placement/sets","seed":0,"faults":[{"where":{"step":4,"of":"event","n":1,"name":"operator event managedclustersets.cluster.fleetmgmt.io"},"when":"watch","what":{"kind":"mute"}},{"where":{"step":4,"of":"write","n":1,"name":"operator update managedclustersets.cluster.fleetmgmt.io/status fleet"},"when":"applied","what":{"kind":"silence"}}],"from":2,"to":4}',
  },
  {
    what: 'recorded twice that clusters came in, when the answer to their write was lost and somebody else changed the object before it was repeated',
    since: '2026-11-28',
    mendedBy: 'what is stored counts as published, whatever else others have changed in the object',
    plan: '{"scenario":"placement/preferred","seed":0,"faults":[{"where":{"step":4,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"applied","what":{"kind":"page"}},{"where":{"step":4,"of":"write","n":2,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"foreign","field":"content"}}],"from":2,"to":4}',
  },
  {
    what: 'noticed minutes later that a pull secret has another type, when that could not be read at once',
    since: '2026-11-27',
    mendedBy: 'it is read again after half a minute',
    plan: '{"scenario":"engine/pull-secret","seed":0,"faults":[{"where":{"step":4,"of":"read","n":1,"name":"operator list secrets"},"when":"before","what":{"kind":"outage","status":404,"ms":30000,"all":false}}],"from":3,"to":5}',
  },
  {
    what: 'left the certificate of a component that was turned off, where the watch of it had not delivered it yet',
    since: '2026-11-28',
    mendedBy: 'what this process has stored counts as there, whatever its watch has',
    plan: '{"scenario":"engine/components","seed":0,"faults":[{"where":{"step":1,"of":"write","n":1,"name":"operator patch rolebindings.rbac.authorization.k8s.io multicluster-engine-installer"},"when":"before","what":{"kind":"behind","ms":20000}}],"from":0,"to":2}',
  },
  {
    what: 'left a cluster that says it is available for ever, where the last report of an engine that was deleted was refused once',
    since: '2026-11-28',
    mendedBy: 'it is tried for a minute before the engine goes without that',
    plan: '{"scenario":"engine/engine-goes-first","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"operator patch managedclusters.cluster.fleetmgmt.io/status local-cluster"},"when":"before","what":{"kind":"answer","status":403}}],"from":0,"to":2}',
  },
  {
    what: 'said of a decision that it had the clusters that somebody else had written, when an update that put it right had no answer, and was refused when it was repeated',
    since: '2026-11-21',
    mendedBy: 'the object of a write that failed is read before the status says what is stored',
    plan: '{"scenario":"placement/edited","seed":0,"faults":[{"where":{"step":4,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"applied","what":{"kind":"reset"}},{"where":{"step":4,"of":"write","n":2,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"definition","ms":10000}}],"from":2,"to":4}',
  },
  {
    what: 'read a Placement and its decision every three seconds, and did not decide, while the watch of a new leader was silent',
    since: '2026-11-22',
    mendedBy: 'what the API server has otherwise than the cache is used',
    plan: '{"scenario":"timed/hold-handed-over","seed":0,"faults":[{"where":{"step":2,"of":"event","n":2,"name":"second event placements.cluster.fleetmgmt.io"},"when":"watch","what":{"kind":"mute"}}],"from":1,"to":3}',
  },
  {
    what: 'left the ConfigMap of a certificate whose component was turned off, where its watch had not delivered it, and it was read meanwhile',
    since: '2026-11-30',
    mendedBy: 'what this process has stored counts as there until the watch has it, whatever was read',
    plan: '{"scenario":"engine/components","seed":0,"faults":[{"where":{"step":1,"of":"write","n":1,"name":"operator patch rolebindings.rbac.authorization.k8s.io multicluster-engine-installer"},"when":"before","what":{"kind":"behind","ms":20000}},{"where":{"step":1,"of":"read","n":1,"name":"operator get services gateway"},"when":"before","what":{"kind":"silence"}}],"from":0,"to":2}',
  },
  {
    what: 'said that every component is available, for a generation in which it had begun to remove them and could not read what was left',
    since: '2026-11-21',
    mendedBy: 'Available is Unknown then, and otherwise of the generation for which the objects were read',
    plan: '{"scenario":"engine/fleet-goes-first","seed":0,"faults":[{"where":{"step":4,"of":"write","n":1,"name":"operator delete deployments.apps placement-controller"},"when":"before","what":{"kind":"outage","status":500,"ms":20000,"all":true}},{"where":{"step":4,"of":"write","n":2,"name":"operator delete deployments.apps placement-controller"},"when":"before","what":{"kind":"outage","status":403,"ms":30000,"all":false}}],"from":2,"to":4}',
  },
  {
    what: 'left a cluster "available" whose engine was deleted, where the definition of clusters was not served for half a minute',
    since: '2026-11-28',
    mendedBy: 'what is not served is tried again for a minute, as what is refused',
    plan: '{"scenario":"engine/engine-goes-first","seed":0,"faults":[{"where":{"step":2,"of":"write","n":1,"name":"operator patch managedclusters.cluster.fleetmgmt.io/status local-cluster"},"when":"before","what":{"kind":"outage","status":404,"ms":30000,"all":false}}],"from":0,"to":2}',
  },
  {
    what: 'took what a process before it had stored for an edit by others, after a first write that failed while its watch was late',
    since: '2026-11-21',
    mendedBy: 'until one decision is stored, the next pass begins with what is stored, as after a restart',
    plan: '{"scenario":"placement/emptied-piece","seed":0,"faults":[{"where":{"step":0,"of":"write","n":1,"name":"operator update managedclustersets.cluster.fleetmgmt.io/status fleet"},"when":"before","what":{"kind":"takeover","ms":40000}},{"where":{"step":1,"of":"read","n":1,"name":"operator get customresourcedefinitions.apiextensions.k8s.io managedclustersetbindings.cluster.fleetmgmt.io"},"when":"before","what":{"kind":"answer","status":429,"retryAfter":"1"}},{"where":{"step":1,"of":"write","n":1,"name":"operator update managedclustersets.cluster.fleetmgmt.io/status fleet"},"when":"before","what":{"kind":"answer","status":504,"reason":"Timeout"}},{"where":{"step":1,"of":"read","n":2,"name":"operator get customresourcedefinitions.apiextensions.k8s.io managedclustersetbindings.cluster.fleetmgmt.io"},"when":"before","what":{"kind":"behind","ms":20000}},{"where":{"step":1,"of":"write","n":2,"name":"operator create placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"outage","status":404,"ms":30000,"all":false}}],"from":0,"to":2}',
  },
  {
    what: 'took its taint off a cluster whose API server was not ready, when its agent was started anew',
    since: '2026-11-23',
    mendedBy: 'an agent reports nothing before it knows how the control plane is',
    plan: '{"scenario":"agents/unhealthy","seed":0,"faults":[],"from":2,"to":3}',
  },
  {
    what: 'tainted a cluster as unreachable that was tainted as unavailable, while the watch of Leases was silent',
    since: '2026-11-23',
    mendedBy: 'a taint that takes the place of another one is granted as the first is, under the brake',
    plan: '{"scenario":"agents/unhealthy","seed":0,"faults":[{"where":{"step":2,"of":"event","n":10,"name":"operator event leases.coordination.k8s.io"},"when":"watch","what":{"kind":"mute"}}],"from":1,"to":3}',
  },
  {
    what: 'told in the history of an edit by others, after an update of its own whose answer was lost',
    since: '2026-11-28',
    mendedBy: 'what turns out to be its own update is no edit',
    plan: '{"scenario":"placement/claims","seed":0,"faults":[{"where":{"step":3,"of":"write","n":1,"name":"operator update placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"applied","what":{"kind":"silence"}}],"from":2,"to":4}',
  },
  {
    what: 'gave itself rights for an engine that was gone, ten times a second, when the Lease was lost while the watch of engines was silent',
    since: '2026-11-21',
    mendedBy: 'an uninstallation begins with a read of the engine, and an engine that a write does not find is gone',
    plan: '{"scenario":"engine/second-engine","seed":0,"faults":[{"where":{"step":3,"of":"event","n":1,"name":"operator event multiclusterengines.multicluster.platform.io"},"when":"watch","what":{"kind":"mute"}},{"where":{"step":3,"of":"read","n":2,"name":"operator list services"},"when":"before","what":{"kind":"takeover","ms":40000}},{"where":{"step":3,"of":"lease","n":1,"name":"operator update leases.coordination.k8s.io multicluster-engine-engine"},"when":"before","what":{"kind":"definition","ms":10000}}],"from":1,"to":3}',
  },
  {
    what: 'read a cluster of an inventory once a second, while the watch of the inventory was silent',
    since: '2026-11-21',
    mendedBy: 'what its watch has to deliver is asked for every five seconds',
    plan: '{"scenario":"timed/inventory-returns","seed":0,"faults":[{"where":{"step":2,"of":"event","n":1,"name":"operator event clusterprofiles.multicluster.x-k8s.io"},"when":"watch","what":{"kind":"mute"}}],"from":1,"to":2}',
  },
  {
    what: 'told in the history that a decision object was made again, after a first write that found it there while its watch was late',
    since: '2026-11-28',
    mendedBy: 'what a first write that failed had to tell is not kept',
    plan: '{"scenario":"placement/plain","seed":0,"faults":[{"where":{"step":2,"of":"read","n":1,"name":"operator get placements.cluster.fleetmgmt.io web"},"when":"before","what":{"kind":"takeover","ms":1000}},{"where":{"step":2,"of":"write","n":1,"name":"operator create placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"slow","ms":60000}},{"where":{"step":2,"of":"read","n":1,"name":"operator get placementdecisions.cluster.fleetmgmt.io web-decision-1"},"when":"before","what":{"kind":"outage","status":403,"ms":38000,"all":false}},{"where":{"step":2,"of":"read","n":1,"name":"operator list placementdecisions.cluster.fleetmgmt.io"},"when":"applied","what":{"kind":"slow","ms":10000}}],"from":1,"to":3}',
  },
  {
    what: 'gave the conditions of an agent a new time when the agent started again',
    since: '2026-11-23',
    mendedBy: 'a report keeps the stored time of a condition whose status stays',
    plan: '{"scenario":"agents/secret-not-stored","seed":324732502,"faults":[],"from":1,"to":3}',
  },
  {
    what: 'took the certificate that was served out of those to trust, when it was killed between a new one and its key pair',
    since: '2026-11-22',
    mendedBy: 'where the Secret does not show what is served, all that may be stays published',
    plan: '{"scenario":"engine/certificate","seed":0,"faults":[{"where":{"step":4,"of":"write","n":1,"name":"operator patch configmaps gateway-ca"},"when":"answered","what":{"kind":"crash","ms":1000}},{"where":{"step":4,"of":"write","n":1,"name":"operator patch secrets gateway-tls"},"when":"before","what":{"kind":"foreign","field":"content"}}],"from":2,"to":4}',
  },
  {
    what: 'brought a cluster back that had just been removed, when a new leader did not know that yet and held what it saw',
    since: '2026-11-22',
    mendedBy: 'a first decision is confirmed by reads also where the status tells of another one than the cache',
    plan: '{"scenario":"timed/removal-handed-over","seed":0,"faults":[{"where":{"step":1,"of":"event","n":1,"name":"first event placementdecisions.cluster.fleetmgmt.io"},"when":"watch","what":{"kind":"mute"}},{"where":{"step":1,"of":"lease","n":2,"name":"first update leases.coordination.k8s.io multicluster-engine-placement"},"when":"before","what":{"kind":"takeover","ms":40000}}],"from":0,"to":2}',
  },
  {
    what: 'let a cluster go that its budget held, where another one was above the number of the same predicate',
    since: '2026-11-28',
    mendedBy: 'with a budget, who is above the number of a predicate is told among those that fail no other rule',
    plan: '{"scenario":"timed/above-number","seed":0,"faults":[]}',
  },
  {
    what: 'went on to name a cluster that waits to come in after a taint had put another one before it',
    since: '2026-11-27',
    mendedBy: 'taints and domains that only change the order are watched while some cluster waits, as scores are',
    plan: '{"scenario":"timed/next-in-order","seed":0,"faults":[],"from":2,"to":3}',
  },
  {
    what: 'did not say that clusters wait for a window which a budget had held when an edit set both, until the next pass',
    since: '2026-11-27',
    mendedBy: 'what an edit does not bring about at once waits like any other change',
    plan: '{"scenario":"timed/edit-held","seed":0,"faults":[],"from":1,"to":2}',
  },
  {
    what: 'forgot from which set a cluster came that a window keeps, once the budget held it no longer',
    since: '2026-11-27',
    mendedBy: 'the sets are remembered while any cluster is held or waits',
    plan: '{"scenario":"timed/edit-held","seed":0,"faults":[],"from":4,"to":5}',
  },
  {
    what: 'left an empty decision object that records removals for as long as they counted by a budget which an edit had taken out',
    since: '2026-11-27',
    mendedBy: 'empty objects are looked at again a minute after the end of a budget',
    plan: '{"scenario":"timed/record-ends","seed":0,"faults":[],"from":2,"to":3}',
  },
  {
    what: 'said of a paused Placement that clusters wait for windows which had been set during the pause, and let them go at its end',
    since: '2026-11-27',
    mendedBy: 'an edit of a paused Placement is remembered as one',
    plan: '{"scenario":"timed/windows-in-pause","seed":0,"faults":[],"from":2,"to":4}',
  },
  {
    what: 'gave the conditions of an agent an earlier time when it started on a machine whose clock is behind',
    since: '2026-12-01',
    mendedBy: 'the stored time of a condition is kept as long as its status stays',
    plan: '{"scenario":"agents/clock","seed":0,"faults":[],"from":3,"to":4}',
  },
  {
    what: 'did not say of a cluster above the number of its predicate that it waits for a window, when its set had kept it from what an edit does, until the next pass',
    since: '2026-11-29',
    mendedBy: 'what something else keeps waits for the window, too, in the pass of an edit as in any other',
    plan: '{"scenario":"timed/above-number-waits","seed":0,"faults":[],"from":3,"to":4}',
  },
  {
    what: 'read a Placement that was gone ten times a second, after a restart while the watch of Placements was late',
    since: '2026-11-29',
    mendedBy: 'a Placement that the API server does not have is waited for, and not read again at once',
    plan: '{"scenario":"placement/plain","seed":0,"faults":[{"where":{"step":8,"of":"lease","n":1,"name":"operator get leases.coordination.k8s.io multicluster-engine-placement"},"when":"before","what":{"kind":"outage","status":403,"ms":30000,"all":false}},{"where":{"step":9,"of":"event","n":1,"name":"operator event placements.cluster.fleetmgmt.io"},"when":"watch","what":{"kind":"late","ms":30000}}],"from":8,"to":9}',
  },
];

export const FOUND: readonly Found[] = TEXTS.map(({ plan, ...found }) => ({ ...found, plan: readPlan(plan) }));
