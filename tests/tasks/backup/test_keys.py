"""Keys of copies: a secret key is read only if nobody else can read it, and it is never repeated."""

import pytest
from pyrage import x25519

from configs.load import load_settings
from domain.problems import FaturistaError
from tasks.backup.keys import identities_of, recipients_of


def settings(**backup):
    return load_settings(overrides={"backup": backup})


def code_of(read, given):
    with pytest.raises(FaturistaError) as caught:
        read(given)
    return caught.value.problem.code


def test_no_reference_gives_no_identity():
    assert identities_of(settings()) == []
    assert recipients_of(settings()) == []


def test_a_private_key_file_with_comments_is_read(tmp_path):
    keys = [x25519.Identity.generate() for _ in range(2)]
    path = tmp_path / "keys.txt"
    path.write_text("# created: today\n" + "\n".join(str(key) for key in keys))
    path.chmod(0o600)
    found = identities_of(settings(identity=str(path)))
    assert [str(key) for key in found] == [str(key) for key in keys]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_file_that_others_may_read_is_refused(tmp_path, mode):
    path = tmp_path / "keys.txt"
    path.write_text(str(x25519.Identity.generate()))
    path.chmod(mode)
    assert code_of(identities_of, settings(identity=str(path))) == "backup.shared_identity"


def test_a_key_comes_from_the_environment(monkeypatch):
    key = x25519.Identity.generate()
    monkeypatch.setenv("RESTORE_KEY", str(key))
    (found,) = identities_of(settings(identity="env:RESTORE_KEY"))
    assert str(found) == str(key)


def test_a_bad_key_is_refused_and_not_repeated(monkeypatch, tmp_path):
    key = str(x25519.Identity.generate())
    secret = key[:-1] + ("Q" if key[-1] != "Q" else "P")
    monkeypatch.setenv("RESTORE_KEY", secret)
    with pytest.raises(FaturistaError) as caught:
        identities_of(settings(identity="env:RESTORE_KEY"))
    assert caught.value.problem.code == "backup.bad_identity"
    assert caught.value.__cause__ is None
    assert secret not in repr(caught.value)
    assert code_of(identities_of, settings(identity=str(tmp_path / "nowhere"))) == "backup.no_identity"


def test_a_mistyped_recipient_is_refused():
    public = str(x25519.Identity.generate().to_public())
    mistyped = public[:-1] + ("q" if public[-1] != "q" else "p")
    assert code_of(recipients_of, settings(recipients=[mistyped])) == "backup.bad_recipient"
