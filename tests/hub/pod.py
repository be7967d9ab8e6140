"""Print the pod of a student as KubeSpawner makes it: python tests/hub/pod.py < values

The values come as JSON, merged over the chart's own. What the chart's configuration of
the hub hands on to KubeSpawner is handed on here. No cluster is asked.
"""

import asyncio
import json
import sys
from types import SimpleNamespace

import kubespawner.spawner
from jupyterhub.objects import Hub
from kubespawner import KubeSpawner
from traitlets.config import Config


def configured(values):
    """The settings of KubeSpawner that the chart makes of its values."""
    student = values["singleuser"]
    image = student["image"]
    spawner = {
        "image": f"{image['name']}:{image['tag']}",
        "cmd": student["cmd"],
        "default_url": student["defaultUrl"],
        "environment": student["extraEnv"],
        "mem_guarantee": student["memory"]["guarantee"],
        "mem_limit": student["memory"]["limit"],
        "cpu_guarantee": student["cpu"]["guarantee"],
        "cpu_limit": student["cpu"]["limit"],
        "uid": student["uid"],
        "fs_gid": student["fsGid"],
        "allow_privilege_escalation": student["allowPrivilegeEscalation"],
        "volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": "anna"}}],
        "volume_mounts": [
            {"mountPath": student["storage"]["homeMountPath"], "name": "home"}
        ],
        **values["hub"]["config"]["KubeSpawner"],
    }
    if values["scheduling"]["podPriority"]["enabled"]:
        spawner["priority_class_name"] = "default-priority"
    return Config(KubeSpawner=spawner)


def no_cluster(**address):
    """Instead of a search for the address of a cluster."""


async def main():
    kubespawner.spawner.load_config = no_cluster
    server = SimpleNamespace(base_url="/user/anna/", cookie_name="cookie")
    user = SimpleNamespace(
        name="anna",
        escaped_name="anna",
        url="/user/anna/",
        server=server,
        id=1,
        settings={},
        authenticator=None,
    )
    spawner = KubeSpawner(
        _mock=True, config=configured(json.load(sys.stdin)), hub=Hub(), user=user
    )
    spawner.api_token = "the-hub-makes-it"
    pod = await spawner.get_pod_manifest()
    print(json.dumps(spawner.api.api_client.sanitize_for_serialization(pod)))
    await spawner.api.api_client.close()


if __name__ == "__main__":
    asyncio.run(main())
