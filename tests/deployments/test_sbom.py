"""The SBOM: read from a lock file, the same bytes each time, with the former licences."""

from deployments.sbom import bill_of_materials, read_pins

LOCK = f"""alpha==1.0 \\
    --hash=sha256:{"a" * 64} \\
    --hash=sha256:{"b" * 64}
    # via
    #   ours (pyproject.toml)
    #   Beta.Two
beta-two[extra]==2.1 ; python_full_version < '3.13' \\
    --hash=sha256:{"c" * 64}
    # via ours (pyproject.toml)
"""
PROJECT = {"name": "ours", "version": "0.1", "license": "Apache-2.0"}


def test_pins_are_read_with_marker_hashes_and_who_wants_them():
    alpha, beta = read_pins(LOCK)
    assert (alpha.name, alpha.version, alpha.marker) == ("alpha", "1.0", None)
    assert alpha.hashes == ("a" * 64, "b" * 64)
    assert alpha.wanted_by == ("ours", "Beta.Two")
    assert (beta.name, beta.version, beta.marker) == ("beta-two", "2.1", "python_full_version < '3.13'")
    assert beta.wanted_by == ("ours",)


def test_dependencies_lead_from_the_project_to_every_package():
    made = bill_of_materials(LOCK, PROJECT, {})
    needs = {each["ref"]: each["dependsOn"] for each in made["dependencies"]}
    assert needs["pkg:pypi/ours@0.1"] == ["pkg:pypi/alpha@1.0", "pkg:pypi/beta-two@2.1"]
    assert needs["pkg:pypi/beta-two@2.1"] == ["pkg:pypi/alpha@1.0"]


def test_a_licence_is_kept_while_the_version_stays():
    former = bill_of_materials(LOCK, PROJECT, {})
    former["components"][0]["licenses"] = [{"expression": "MIT"}]
    again = bill_of_materials(LOCK, PROJECT, former)
    assert again["components"][0]["licenses"] == [{"expression": "MIT"}]
    moved = bill_of_materials(LOCK.replace("alpha==1.0", "alpha==1.1"), PROJECT, former)
    assert "licenses" not in moved["components"][0]
