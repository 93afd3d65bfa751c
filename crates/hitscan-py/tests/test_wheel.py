"""The contents of the wheel that is to be published; the variable HITSCAN_WHEEL names its file."""

import email
import os
import zipfile

import pytest

WHEEL = os.environ.get("HITSCAN_WHEEL", "")
pytestmark = pytest.mark.skipif(not WHEEL, reason="HITSCAN_WHEEL names no wheel")

# What a package with types needs, and what its licence asks for.
NEEDED = {"hitscan/__init__.py", "hitscan/_core.pyi", "hitscan/py.typed", "hitscan/trimesh.py", "hitscan/open3d.py"}


@pytest.fixture(scope="module")
def wheel():
    with zipfile.ZipFile(WHEEL) as opened:
        yield opened


def text(wheel, ending):
    (name,) = [name for name in wheel.namelist() if name.endswith(ending)]
    return wheel.read(name).decode()


def test_has_all_files(wheel):
    assert NEEDED - set(wheel.namelist()) == set()
    licenses = {name.rsplit("/", 1)[-1] for name in wheel.namelist() if ".dist-info/licenses/" in name}
    assert licenses == {"LICENSE-APACHE", "LICENSE-MIT"}


def test_has_no_other_files(wheel):
    folders = {name.split("/", 1)[0] for name in wheel.namelist()}
    assert {folder for folder in folders if not folder.startswith("hitscan-")} == {"hitscan"}
    assert [name for name in wheel.namelist() if "__pycache__" in name or name.endswith((".pyc", ".orig"))] == []
    assert len([name for name in wheel.namelist() if name.endswith((".so", ".pyd"))]) == 1


def test_is_one_wheel_for_all_versions_of_python(wheel):
    tags = email.message_from_string(text(wheel, ".dist-info/WHEEL")).get_all("Tag")
    assert all(tag.startswith("cp311-abi3-") for tag in tags)


def test_metadata(wheel):
    metadata = email.message_from_string(text(wheel, ".dist-info/METADATA"))
    assert metadata["Name"] == "hitscan"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert needed == ["numpy>=1.26"]


def test_the_page_of_the_index_has_no_relative_links(wheel):
    page = email.message_from_string(text(wheel, ".dist-info/METADATA")).get_payload()
    assert "```python" in page
    for link in page.split("](")[1:]:
        assert link.startswith(("https://", "#")), link[:60]
