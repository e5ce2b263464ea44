"""Unit, image, compose and Kubernetes files: they parse, and name only what exists."""

import configparser
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import pytest
import yaml

from configs.load import load_settings
from tests.house import tree

UNIT = "deployments/systemd/faturista.service"
IMAGE = "deployments/container/Dockerfile"
COMPOSE = "deployments/container/compose.yaml"
KUBERNETES = ("settings", "server", "workers")
PODS = "deployments/kubernetes-pods"


def test_unit_runs_the_one_command_as_its_own_user() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(tree.text(UNIT))
    service = unit["Service"]
    assert service["ExecStart"].endswith("/faturista up")
    assert (service["User"], service["UMask"], service["KillSignal"]) == ("faturista", "0077", "SIGINT")


def test_image_copies_what_exists_and_runs_without_root() -> None:
    lines = tree.text(IMAGE).splitlines()
    sources = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    present = {part for path in tree.files() for part in (path, path.split("/", 1)[0])}
    assert set(sources) <= present, set(sources) - present
    assert {PurePosixPath(name).name for name in tree.PACKAGES} <= set(sources)
    # the user that the image makes, by number
    assert any(line.endswith("--uid 10001 faturista") for line in lines)
    assert [line for line in lines if line.startswith("USER ")] == ["USER 10001"]
    assert all("--require-hashes" in line for line in lines if "pip install" in line and ".lock" in line)


def test_compose_starts_in_order_and_asks_for_secrets() -> None:
    services = yaml.safe_load(tree.text(COMPOSE))["services"]
    assert list(services) == ["database", "server", "bootstrap", "worker", "monitor", "receiver"]
    for name, needed in (
        ("server", "database"),
        ("bootstrap", "server"),
        ("worker", "bootstrap"),
        ("monitor", "bootstrap"),
        ("receiver", "bootstrap"),
    ):
        assert list(services[name]["depends_on"]) == [needed]
    assert not re.search(r"(?i)password: (?!\$)\S", tree.text(COMPOSE))


def objects() -> list[dict[str, Any]]:
    return [
        each for name in KUBERNETES for each in yaml.safe_load_all(tree.text(f"deployments/kubernetes/{name}.yaml"))
    ]


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for each in objects():
        if each["kind"] in {"Deployment", "Job"}:
            yield each["metadata"]["name"], each["spec"]["template"]


def test_kubernetes_objects_name_each_other() -> None:
    named = {(each["kind"], each["metadata"]["name"]) for each in objects()}
    labels = [template["metadata"]["labels"] for _, template in pods()]
    for each in objects():
        if each["kind"] == "Service":
            assert any(each["spec"]["selector"].items() <= label.items() for label in labels)
        if each["kind"] == "Deployment":
            assert each["spec"]["selector"]["matchLabels"] == each["spec"]["template"]["metadata"]["labels"]
    for name, template in pods():
        volumes = {each["name"]: each for each in template["spec"]["volumes"]}
        claims = {each["persistentVolumeClaim"]["claimName"] for each in volumes.values() if "emptyDir" not in each}
        assert {("PersistentVolumeClaim", claim) for claim in claims} <= named
        for container in template["spec"]["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == set(volumes), name
            assert {("ConfigMap", each["configMapRef"]["name"]) for each in container["envFrom"][:1]} <= named
            probed = {container[key]["httpGet"]["port"] for key in container if key.endswith("Probe")}
            assert probed <= {port["containerPort"] for port in container.get("ports", ())}


def test_pods_run_without_root_and_only_the_job_ends() -> None:
    for name, template in pods():
        assert template["spec"]["securityContext"]["runAsNonRoot"], name
        # the cluster's own variables would begin with FATURISTA_ and be refused
        assert template["spec"]["enableServiceLinks"] is False
        assert template["spec"].get("restartPolicy", "Always") == ("OnFailure" if "bootstrap" in name else "Always")
        for container in template["spec"]["containers"]:
            assert not container["securityContext"]["allowPrivilegeEscalation"]
    assert "kind: Secret" not in "".join(tree.text(f"deployments/kubernetes/{name}.yaml") for name in KUBERNETES)


def test_kubernetes_settings_are_those_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    (data,) = [each["data"] for each in objects() if each["kind"] == "ConfigMap"]
    server = dict(re.findall(r"^([A-Z_]+)=(.*)$", tree.text("deployments/server.env"), re.MULTILINE))
    assert {key: value for key, value in data.items() if key in server} == {
        key: value for key, value in server.items() if key in data
    }
    for key, value in data.items():
        if key.startswith("FATURISTA_") and key != "FATURISTA_PROFILE":
            monkeypatch.setenv(key, value)
    assert load_settings("local").store.url == data["FATURISTA_STORE__URL"]


def test_a_pod_for_each_run_has_what_a_worker_has() -> None:
    template = json.loads(tree.text(f"{PODS}/pool.json"))
    run = template["job_configuration"]["job_manifest"]["spec"]["template"]["spec"]
    (worker,) = [pod["spec"] for name, pod in pods() if name == "faturista-worker"]
    assert run["volumes"] == worker["volumes"]
    assert run["securityContext"] == worker["securityContext"]
    (ours,), (theirs,) = run["containers"], worker["containers"]
    for part in ("image", "envFrom", "volumeMounts", "securityContext"):
        assert ours[part] == theirs[part]
    # who starts a run chooses nothing of it
    assert template["variables"]["properties"] == {}
    # what Prefect's worker insists on
    assert (run["restartPolicy"], run["parallelism"], ours["name"]) == ("Never", 1, "prefect-job")


def test_the_account_that_starts_pods_reads_no_secret() -> None:
    (starter,) = yaml.safe_load_all(tree.text(f"{PODS}/worker.yaml"))
    account, role, binding = yaml.safe_load_all(tree.text(f"{PODS}/rights.yaml"))
    assert starter["spec"]["template"]["spec"]["serviceAccountName"] == account["metadata"]["name"]
    assert (binding["roleRef"]["name"], binding["subjects"][0]["name"]) == (
        role["metadata"]["name"],
        account["metadata"]["name"],
    )
    assert "secrets" not in {resource for rule in role["rules"] for resource in rule["resources"]}
    (container,) = starter["spec"]["template"]["spec"]["containers"]
    assert container["envFrom"] == [{"configMapRef": {"name": "faturista"}}]
