"""Do something in the middle of a station, as another process would."""

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


def meanwhile(
    patch: pytest.MonkeyPatch, module: ModuleType, name: str, *, is_after: bool = False
) -> Callable[[Callable[[], Any]], None]:
    """Return a function that registers an act. It happens once, before this step of the module, or after it."""
    waiting: list[Callable[[], Any]] = []
    real = getattr(module, name)

    async def act() -> None:
        while waiting:
            await asyncio.to_thread(waiting.pop())

    async def step(*args: Any) -> Any:
        if not is_after:
            await act()
        made = await real(*args)
        await act()
        return made

    patch.setattr(module, name, step)
    return waiting.append
