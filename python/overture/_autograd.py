"""How torch's autograd meets the tables. Only this file imports torch on its own."""

from __future__ import annotations

import weakref

import torch

from overture._native import OvertureError


class _Lookup(torch.autograd.Function):
    """Pooled rows on the way forward; on the way back, their gradients go to the tables.

    The batch holds what comes out of here, so this must not hold the batch: such a ring would keep the memory of every
    batch. A batch that nobody holds any more is over.
    """

    @staticmethod
    def forward(ctx, anchor, batch):
        ctx.batch = weakref.ref(batch)
        ctx.step = batch.step
        ctx.set_materialize_grads(False)
        # Pieces that know of each other could not be changed in place, as those of nn.EmbeddingBag can.
        return torch.from_numpy(batch._owner.native.pooled()).unsafe_split_with_sizes(batch._dims, 1)

    @staticmethod
    def backward(ctx, *gradients):
        batch = ctx.batch()
        if batch is None:
            raise OvertureError(f"batch {ctx.step} is over\n  call backward() before the next batch is taken")
        batch._owner.take_gradients(batch, [_as_rows(one) for one in gradients])
        return None, None


_anchor = torch.zeros(0, requires_grad=True)  # makes autograd follow what comes from a lookup
_apply = _Lookup.apply


def lookup(batch):
    return _apply(_anchor, batch)


def _as_rows(gradient):
    """The gradient where it lies, if that is in rows."""
    if gradient is None:
        return None
    if gradient.stride(1) != 1 and gradient.shape[1] > 1:  # such as that of a sum: one number for all
        gradient = gradient.contiguous()
    return (gradient.detach() if gradient.requires_grad else gradient).numpy()


def checked_device(device):
    """None for this machine's memory; or the device, if this torch can use it."""
    try:
        wanted = torch.device(device)
        torch.zeros(1, device=wanted)
    except (RuntimeError, AssertionError, TypeError) as error:
        why = str(error).splitlines()[0]
        raise OvertureError(f'device "{device}" cannot be used: {why}\n  use device="cpu"') from None
    return None if wanted.type == "cpu" else wanted
