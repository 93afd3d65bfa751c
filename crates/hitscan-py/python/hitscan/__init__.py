"""Ray casting with exact decisions."""

from hitscan._core import VERSION as __version__

__all__ = ["__version__"]
