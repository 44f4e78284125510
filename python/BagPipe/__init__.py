"""Bagpipe's module, as its users import it; all of it is overture.bagpipe."""

from overture.bagpipe import BagCache, init_cache

__all__ = ["BagCache", "init_cache"]
