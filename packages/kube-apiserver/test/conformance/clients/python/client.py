"""Uses Python's `kubernetes` package with one server and prints the results, one per line."""

import json
import os
import re
import time

from kubernetes import client, dynamic, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import ResourceNotFoundError

NAMESPACE = "python"
GROUP = "python.clients.example.com"
MADE_UP = {"uid", "resourceVersion", "creationTimestamp", "time", "lastTransitionTime", "clusterIP", "clusterIPs", "continue"}


def stable(value):
    if isinstance(value, dict):
        return {key: stable(held) for key, held in value.items() if key not in MADE_UP and held is not None}
    return [stable(held) for held in value] if isinstance(value, list) else value


def note(what, value):
    plain = API.sanitize_for_serialization(value)
    print(f"{what}: {plain if isinstance(plain, str) else json.dumps(stable(plain), sort_keys=True)}", flush=True)


def refused(what, act):
    try:
        note(what, ["went through", act()])
    except ApiException as error:
        body = error.body.decode() if isinstance(error.body, bytes) else error.body
        body = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", body)
        note(what, [error.status, json.loads(body)])


def config_map(name, at):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": "a"}}, "data": {"at": at}}


def use_core():
    core = client.CoreV1Api(API)
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    for name in ("one", "two", "three"):
        core.create_namespaced_config_map(NAMESPACE, config_map(name, "0"), field_manager="tester")
    page = core.list_namespaced_config_map(NAMESPACE, label_selector="app=a", limit=2)
    rest = core.list_namespaced_config_map(NAMESPACE, label_selector="app=a", limit=2, _continue=page.metadata._continue)
    note("pages", [[item.metadata.name for item in items] for items in (page.items, rest.items)])
    # The package sends a dict as a merge patch or strategic merge patch, and a list as a JSON patch, by the content type.
    for kind, body in (
        ("application/json-patch+json", [{"op": "replace", "path": "/data/at", "value": "1"}]),
        ("application/merge-patch+json", {"data": {"merge": "yes"}}),
        ("application/strategic-merge-patch+json", {"metadata": {"labels": {"strategic": "yes"}}}),
    ):
        note(kind, core.patch_namespaced_config_map("one", NAMESPACE, body, field_manager="tester", _content_type=kind))
    refused("no such object", lambda: core.read_namespaced_config_map("none", NAMESPACE))
    refused("made twice", lambda: core.create_namespaced_config_map(NAMESPACE, config_map("one", "0")))
    note("deployment", client.AppsV1Api(API).create_namespaced_deployment(NAMESPACE, {
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web"}]}},
        },
    }, field_manager="tester"))
    use_watch(core)


def use_watch(core):
    """Watches from a list on, then from the beginning."""
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.patch_namespaced_config_map("two", NAMESPACE, {"data": {"at": "1"}})
    core.patch_namespaced_config_map("three", NAMESPACE, {"metadata": {"labels": {"app": "b"}}})
    core.delete_namespaced_config_map("two", NAMESPACE)
    seen = []
    watching = watch.Watch()
    for event in watching.stream(core.list_namespaced_config_map, NAMESPACE, label_selector="app=a", resource_version=version, timeout_seconds=60):
        seen.append([event["type"], event["object"].metadata.name, event["object"].data])
        if len(seen) == 3:
            watching.stop()
    note("watched", seen)
    names = sorted(event["object"].metadata.name for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, label_selector="app", timeout_seconds=3))
    note("watched from the beginning", names)


DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"gadgets.{GROUP}"},
    "spec": {
        "group": GROUP, "scope": "Namespaced", "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"},
        "versions": [{
            "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}, "color": {"type": "string", "default": "blue"}}},
                "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
            }}},
        }],
    },
}


def use_dynamic():
    """The dynamic client, which finds kinds by discovery, with a kind that did not exist when it started."""
    access = dynamic.DynamicClient(API)
    definitions = access.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(body=DEFINITION)
    end = time.monotonic() + 60
    while True:
        try:
            client.CustomObjectsApi(API).list_namespaced_custom_object(GROUP, "v1", NAMESPACE, "gadgets")
            access.resources.invalidate_cache()
            gadgets = access.resources.get(api_version=f"{GROUP}/v1", kind="Gadget")
            break
        except (ApiException, ResourceNotFoundError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Gadget", "metadata": {"name": "a"}, "spec": {"size": 1}}
    note("created", gadgets.create(body=body, namespace=NAMESPACE, field_manager="tester").to_dict())
    merge = "application/merge-patch+json"
    note("merged", gadgets.patch(name="a", namespace=NAMESPACE, body={"spec": {"size": 2}}, content_type=merge, field_manager="tester").to_dict())
    note("status", gadgets.status.patch(name="a", namespace=NAMESPACE, body={"status": {"ready": True}}, content_type=merge, field_manager="tester").to_dict())
    body["spec"] = {"size": 3}
    refused("conflict", lambda: gadgets.server_side_apply(body=body, name="a", namespace=NAMESPACE, field_manager="applier").to_dict())
    note("applied", gadgets.server_side_apply(body=body, name="a", namespace=NAMESPACE, field_manager="applier", force_conflicts=True).to_dict())
    body["spec"] = {"size": 0}
    refused("invalid", lambda: gadgets.replace(body={**body, "metadata": gadgets.get(name="a", namespace=NAMESPACE).to_dict()["metadata"]}, namespace=NAMESPACE).to_dict())
    note("listed", gadgets.get(namespace=NAMESPACE).to_dict())
    for event in gadgets.watch(namespace=NAMESPACE, timeout=1):
        note("watched", [event["type"], event["raw_object"]["spec"]])
    note("deleted", gadgets.delete(name="a", namespace=NAMESPACE).to_dict())
    definitions.delete(name=f"gadgets.{GROUP}")


configuration = client.Configuration()
configuration.host, configuration.ssl_ca_cert = os.environ["SERVER"], os.environ["CA"]
configuration.api_key["authorization"], configuration.api_key_prefix["authorization"] = os.environ["TOKEN"], "Bearer"
API = client.ApiClient(configuration)
use_core()
use_dynamic()
