"""overture.Tables beside nn.EmbeddingBag: the same losses, the same rows, and errors that say what to do."""

import gc
import os
import sys
import tempfile
import unittest
import weakref

import numpy as np

try:
    import torch
except ImportError:
    print("skipped: there is no torch for this python3")
    sys.exit(77)

import overture
import reference
from reference import DIM, ROWS, Model, batches, loss_of


def train_ours(tables, model, optimizer, given):
    losses = []
    with tables:
        for batch in tables:
            loss = loss_of(model, batch.dense, batch.embeddings, batch.labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
    return losses


def train_reference(bags, model, optimizers, given, step=lambda bags: None):
    losses = []
    for batch in given:
        labels = torch.from_numpy(batch["labels"]).reshape(-1, 1)
        loss = loss_of(model, torch.from_numpy(batch["dense"]), list(reference.looked_up(bags, batch)), labels)
        loss.backward()
        step(bags)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def bag_weights(bags):
    return [one.weight for one in bags]


class SameAsPyTorch(unittest.TestCase):
    def compare(self, steps, lookahead, most_ids=1, pooling="sum", weighted=False, lr=0.5, **options):
        given = list(batches(steps, most_ids=most_ids, weighted=weighted))
        tables = overture.Tables(given, rows=ROWS, dim=DIM, lookahead=lookahead, pooling=pooling,
                                 optimizer=torch.optim.SGD, optimizer_params={"lr": lr}, **options)
        bags = reference.bags(tables, "mean" if pooling == "mean" else "sum")
        ours, theirs = Model(), Model()
        losses = train_ours(tables, ours, torch.optim.SGD(ours.parameters(), lr=0.1), given)
        expected = train_reference(bags, theirs, [torch.optim.SGD(theirs.parameters(), lr=0.1),
                                                  torch.optim.SGD(bag_weights(bags), lr=lr)], given)
        self.assertEqual(len(losses), steps)
        np.testing.assert_allclose(losses, expected, rtol=0, atol=1e-5)
        for t, bag in enumerate(bags):
            np.testing.assert_allclose(tables.table(t), bag.weight.detach().numpy(), rtol=0, atol=1e-4)

    def test_losses_of_200_steps_for_any_lookahead(self):
        for lookahead in (1, 20, 200):
            with self.subTest(lookahead=lookahead):
                self.compare(200, lookahead)

    def test_samples_with_any_number_of_ids(self):
        for pooling, weighted in (("sum", False), ("mean", False), ("weighted", True)):
            with self.subTest(pooling=pooling):
                self.compare(50, 10, most_ids=4, pooling=pooling, weighted=weighted)

    def test_several_servers_and_a_small_cache(self):
        self.compare(50, 20, servers=3, cache_rows=400)

    def test_embeddings_may_be_changed_in_place(self):
        """As what nn.EmbeddingBag gives: a factor in place, then a relu."""
        given = list(batches(20))
        tables = overture.Tables(given, rows=ROWS, dim=DIM, lookahead=5, optimizer_params={"lr": 0.5})
        bags = reference.bags(tables)
        optimizer = torch.optim.SGD(bag_weights(bags), lr=0.5)

        def value_of(embeddings):
            return sum(one.mul_(2).relu_().square().sum() for one in embeddings)

        with tables:
            for batch, theirs in zip(tables, given):
                value, expected = value_of(batch.embeddings), value_of(reference.looked_up(bags, theirs))
                self.assertAlmostEqual(value.item(), expected.item(), delta=1e-4 * abs(expected.item()))
                value.backward()
                expected.backward()
                optimizer.step()
                optimizer.zero_grad()

    def test_a_batch_that_is_skipped_changes_nothing(self):
        """Also of tables with several numbers of columns; looked up before or not."""
        given = list(batches(6))
        tables = overture.Tables(given, rows=ROWS, dims=[2, 8, 4, 64], lookahead=2, optimizer_params={"lr": 0.5})
        before = [tables.table(t) for t in range(len(ROWS))]
        with tables:
            for batch in tables:
                if batch.step % 2 == 0:
                    self.assertEqual(batch.pooled.shape, (32, 78))
                batch.skip()
                self.assertRaisesRegex(overture.OvertureError, "have come back already", batch.skip)
        for t, one in enumerate(before):
            np.testing.assert_array_equal(tables.table(t), one)

    def test_a_loss_of_some_tables_leaves_the_others(self):
        given = list(batches(4))
        tables = overture.Tables(given, rows=ROWS, dims=[2, 8, 4, 64], lookahead=2, optimizer_params={"lr": 0.5})
        before = [tables.table(t) for t in range(len(ROWS))]
        with tables:
            for batch in tables:
                batch.embeddings[1].sum().backward()
        for t, one in enumerate(before):
            (self.assertFalse if t == 1 else self.assertTrue)(np.array_equal(tables.table(t), one))

    def test_row_wise_adagrad(self):
        given = list(batches(60))
        tables = overture.Tables(given, rows=ROWS, dim=DIM, lookahead=20, optimizer=torch.optim.Adagrad,
                                 optimizer_params={"lr": 0.1, "eps": 1e-8})
        bags, sums = reference.bags(tables), [torch.zeros(rows) for rows in ROWS]

        def step(bags):  # one accumulator a row, of the mean square of its gradient
            with torch.no_grad():
                for bag, total in zip(bags, sums):
                    gradient = bag.weight.grad.coalesce()
                    rows, values = gradient.indices()[0], gradient.values()
                    total[rows] += values.pow(2).mean(1)
                    bag.weight[rows] -= 0.1 * values / (total[rows].sqrt() + 1e-8).unsqueeze(1)
                    bag.weight.grad = None

        self.compare_rows(tables, bags, given, [], step)

    def test_adam_changes_rows_that_are_looked_up(self):
        """As torch.optim.SparseAdam, but for epsilon, which is added where torch.optim.Adam adds it."""
        given = list(batches(60))
        tables = overture.Tables(given, rows=ROWS, dim=DIM, lookahead=20, optimizer=torch.optim.Adam,
                                 optimizer_params={"lr": 0.01, "eps": 1e-4})
        bags, taken = reference.bags(tables), []
        means = [torch.zeros(rows, DIM) for rows in ROWS]
        squares = [torch.zeros(rows, DIM) for rows in ROWS]

        def step(bags):
            taken.append(1)
            with torch.no_grad():
                for bag, mean, square in zip(bags, means, squares):
                    gradient = bag.weight.grad.coalesce()
                    rows, values = gradient.indices()[0], gradient.values()
                    mean[rows] = 0.9 * mean[rows] + 0.1 * values
                    square[rows] = 0.999 * square[rows] + 0.001 * values * values
                    root = square[rows].sqrt() / (1 - 0.999 ** len(taken)) ** 0.5
                    bag.weight[rows] -= 0.01 / (1 - 0.9 ** len(taken)) * mean[rows] / (root + 1e-4)
                    bag.weight.grad = None

        self.compare_rows(tables, bags, given, [], step)

    def compare_rows(self, tables, bags, given, optimizers, step=lambda bags: None):
        ours, theirs = Model(), Model()
        losses = train_ours(tables, ours, torch.optim.SGD(ours.parameters(), lr=0.1), given)
        expected = train_reference(bags, theirs, [torch.optim.SGD(theirs.parameters(), lr=0.1), *optimizers], given, step)
        np.testing.assert_allclose(losses, expected, rtol=0, atol=1e-5)

    def test_gradients_agree_with_differences(self):
        """Rows as the input of a function: autograd's gradient is what a step of rate 1 takes off them."""
        given = next(batches(1, size=4, most_ids=3, rows=[5, 3]))
        shapes = [(5, 2), (3, 2)]

        class Through(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *rows):
                tables = overture.Tables([given], rows=[5, 3], dim=2, lookahead=1, optimizer_params={"lr": 1.0})
                for t, one in enumerate(rows):
                    tables.set_table(t, one)
                with tables, torch.enable_grad():
                    batch = tables.next_batch()
                    value = sum((one * one).sum() for one in batch.embeddings) + batch.embeddings[0].prod(1).sum()
                    value.backward()
                ctx.gradients = [one - torch.from_numpy(tables.table(t)) for t, one in enumerate(rows)]
                return value.detach().double()

            @staticmethod
            def backward(ctx, factor):
                return tuple(factor * one for one in ctx.gradients)

        torch.manual_seed(2)
        rows = [torch.randint(-8, 8, shape).double().div(8).requires_grad_() for shape in shapes]
        self.assertTrue(torch.autograd.gradcheck(Through.apply, rows, eps=2**-5, atol=1e-4, rtol=1e-4,
                                                 nondet_tol=1e-5))


class Resuming(unittest.TestCase):
    def run_to(self, given, folder, resume, save_at, end_at, at_end=False):
        model = Model()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        tables = overture.Tables(given, rows=ROWS, dim=DIM, lookahead=20, optimizer="adam",
                                 optimizer_params={"lr": 0.05}, checkpoints=folder, resume=resume,
                                 state=(lambda: overture.pack(model=model, optimizer=optimizer)) if at_end else None)
        if resume:
            overture.unpack(tables.state, model=model, optimizer=optimizer)
        losses = []
        with tables:
            for batch in tables:
                loss = loss_of(model, batch.dense, batch.embeddings, batch.labels)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                losses.append(loss.item())
                if batch.step + 1 == save_at:
                    path = tables.save(overture.pack(model=model, optimizer=optimizer))
                    self.assertTrue(os.path.exists(os.path.join(path, "manifest.json")))
                if batch.step + 1 == end_at:
                    break
        return losses

    def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(self):
        """From where it was saved on request; or, if the model's state can be asked for, from the end."""
        given = list(batches(60))
        for at_end, goes_on_at in ((False, 25), (True, 33)):
            with tempfile.TemporaryDirectory() as folder:
                whole = self.run_to(given, os.path.join(folder, "a"), False, 0, 60)
                first = self.run_to(given, os.path.join(folder, "b"), False, 25, 33, at_end)
                rest = self.run_to(given, os.path.join(folder, "b"), True, 0, 60)
            self.assertEqual(first, whole[:33])
            self.assertEqual(rest, whole[goes_on_at:])


class NoCopies(unittest.TestCase):
    def test_embeddings_and_gradients_lie_where_they_were_made(self):
        seen = []

        class Spy:
            def __init__(self, native):
                self.native = native

            def __getattr__(self, name):
                found = getattr(self.native, name)
                if name == "pooled":
                    return lambda: seen.append(found()) or seen[-1]
                if name == "give_back":
                    return lambda gradients, loss: seen.append(gradients) or found(gradients, loss)
                return found

        tables = overture.Tables(batches(3), rows=ROWS, dim=DIM, lookahead=2)
        tables._owner.native = Spy(tables._owner.native)
        with tables:
            batch = tables.next_batch()
            embeddings = batch.embeddings
            pooled = seen.pop()
            for t, one in enumerate(embeddings):
                self.assertEqual(one.data_ptr(), pooled.ctypes.data + t * DIM * 4)
                self.assertEqual(one.stride(), (DIM * len(ROWS), 1))
            side_by_side = torch.cat(embeddings, dim=1)
            made = []
            side_by_side.register_hook(lambda gradient: made.append(gradient.data_ptr()))
            (side_by_side ** 2).sum().backward()
            for t, one in enumerate(seen.pop()):
                self.assertEqual(one.ctypes.data, made[0] + t * DIM * 4)
            for batch in tables:
                sum(one.sum() for one in batch.embeddings).backward()

    def test_dense_features_and_labels_are_views_of_what_came(self):
        with overture.Tables(batches(2), rows=ROWS, dim=DIM, lookahead=2) as tables:
            first = tables.next_batch()
            self.assertEqual(first.dense.data_ptr(), first.dense.data_ptr())
            self.assertEqual(first.labels.data_ptr(), first.labels.data_ptr())
            kept, before = first.dense, first.dense.clone()
            sum(one.sum() for one in first.embeddings).backward()
            for batch in tables:
                sum(one.sum() for one in batch.embeddings).backward()
            del first, batch
            gc.collect()
            self.assertTrue(torch.equal(kept, before))

    def test_rows_that_are_held_stay_as_they_were(self):
        with overture.Tables(batches(5), rows=ROWS, dim=DIM, lookahead=3) as tables:
            held = []
            for batch in tables:
                held.append((batch.embeddings[2], batch.embeddings[2].detach().clone()))
                sum(one.sum() for one in batch.embeddings).backward()
            for one, copy in held:
                self.assertTrue(torch.equal(one.detach(), copy))


class BadUse(unittest.TestCase):
    def tables(self, given=None, **options):
        return overture.Tables(batches(5) if given is None else given, rows=options.pop("rows", ROWS), dim=DIM,
                               lookahead=options.pop("lookahead", 3), **options)

    def refused(self, text, act, *arguments, **options):
        with self.assertRaises(overture.OvertureError) as caught:
            act(*arguments, **options)
        self.assertIn(text, str(caught.exception))

    def test_no_backward(self):
        tables = self.tables()
        batch = tables.next_batch()
        self.refused("the gradients of batch 0 have not come back", tables.next_batch)
        sum(one.sum() for one in batch.embeddings).backward()  # and it goes on
        self.assertEqual(tables.next_batch().step, 1)
        tables._owner.abandon("the test is over")

    def test_backward_twice(self):
        with self.tables() as tables:
            loss = sum(one.sum() for one in tables.next_batch().embeddings)
            loss.backward(retain_graph=True)
            self.refused("have come back already", loss.backward)

    def test_what_may_follow_an_interrupt(self):
        """Ctrl-C while a batch is awaited: the batch still comes, and only then is it time to save."""
        class Interrupted:
            def __init__(self, native):
                self.native = native

            def __getattr__(self, name):
                return getattr(self.native, name)

            def wait(self):
                raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as folder, self.tables(checkpoints=folder) as tables:
            sum(one.sum() for one in tables.next_batch().embeddings).backward()
            native = tables._owner.native
            tables._owner.native = Interrupted(native)
            self.assertRaises(KeyboardInterrupt, tables.next_batch)
            tables._owner.native = native
            self.refused("the next batch is under way", tables.save)
            batch = tables.next_batch()
            self.assertEqual(batch.step, 1)
            sum(one.sum() for one in batch.embeddings).backward()
            self.assertTrue(os.path.exists(os.path.join(tables.save(), "manifest.json")))

    def test_an_old_batch(self):
        with self.tables() as tables:
            old = tables.next_batch()
            sum(one.sum() for one in old.embeddings).backward()
            new = tables.next_batch()
            old._embeddings = None
            self.refused("batch 0 is over", lambda: old.embeddings)
            sum(one.sum() for one in new.embeddings).backward()

    def test_ids_that_are_not_the_batchs(self):
        with self.tables() as tables:
            batch = tables.next_batch()
            other = [one + 1 for one in batch.ids]
            self.refused("the ids of table 0 are not those of batch 0", tables.get_emb, other)
            self.refused("has ids for 4 tables", tables.get_emb, batch.ids[:2])
            self.refused("the ids of table 0 are not an array of numbers", tables.get_emb, [["a"]] * len(ROWS))
            self.refused("the ids of table 0 are not an array of numbers", tables.get_emb, [[[1], [2, 3]]] * len(ROWS))
            self.refused("give whole numbers", tables.get_emb, [one.float() for one in batch.ids])
            same = tables.get_emb([one.clone() for one in batch.ids])
            sum(one.sum() for one in same).backward()

    def drain(self, given):
        with self.tables(given) as tables:
            for batch in tables:
                sum(each.sum() for each in batch.embeddings).backward()

    def test_an_exception_in_ones_own_source_comes_through(self):
        def source():
            yield from batches(2)
            raise ValueError("the disk is gone")

        with self.assertRaisesRegex(ValueError, "the disk is gone"):
            self.drain(source())

    def test_a_cache_that_is_too_small(self):
        self.refused("cache", self.drain_with, cache_rows=3)

    def drain_with(self, **options):
        with self.tables(**options) as tables:
            for batch in tables:
                sum(one.sum() for one in batch.embeddings).backward()

    def test_a_state_that_is_not_bytes(self):
        with tempfile.TemporaryDirectory() as folder, self.tables(checkpoints=folder) as tables:
            sum(one.sum() for one in tables.next_batch().embeddings).backward()
            self.refused("state: is str, not bytes", tables.save, "abc")

    def test_a_key_of_ones_own_is_named_without_a_file(self):
        with self.assertRaises(overture.OvertureError) as caught:
            self.tables(pooling="max")
        self.assertTrue(str(caught.exception).startswith('tables.pooling: unknown value "max"'), caught.exception)

    def test_what_does_not_exist(self):
        self.refused("rows: is missing", overture.Tables, batches(1))
        self.refused("is not known for rows", self.tables, optimizer=torch.optim.LBFGS)
        self.refused("rows have no momentum", self.tables, optimizer="sgd", optimizer_params={"lr": 1, "momentum": 0.9})
        self.refused('device "cuda:0" cannot be used', self.tables, device="cuda:0")
        self.refused("holds no checkpoint", self.tables, checkpoints="/nowhere", resume=True)

    def test_memory_of_pooled_rows_is_used_again(self):
        addresses = set()
        with self.tables(batches(30)) as tables:
            for batch in tables:
                addresses.add(batch.embeddings[0].data_ptr())
                sum(one.sum() for one in batch.embeddings).backward()
        self.assertLessEqual(len(addresses), 2)  # this batch's and the one's before, which is still held

    def test_rows_that_are_kept_stay_as_they_were(self):
        kept = []
        with self.tables(batches(10)) as tables:
            for batch in tables:
                sum(one.sum() for one in batch.embeddings).backward()
                kept.append((batch.embeddings[0], batch.embeddings[0].detach().clone()))
        for held, copy in kept:
            self.assertTrue(torch.equal(held, copy))

    def test_tables_that_nobody_holds_any_more_are_gone(self):
        def train(given, enough):
            with self.tables(given) as tables:
                for batch in tables:
                    sum(one.sum() for one in batch.embeddings).backward()
                    if batch.step == enough:
                        break
                return weakref.ref(tables._owner)

        gc.disable()  # a table may be gigabytes: that is nothing to leave until the collector comes
        try:
            self.assertIsNone(train(batches(5), 10)())
            self.assertIsNone(train(batches(50), 2)())
        finally:
            gc.enable()

    def test_one_folder_holds_the_checkpoints_of_one_at_a_time(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.tables(batches(5), checkpoints=folder) as first, self.tables(batches(5), checkpoints=folder) as second:
                first.next_batch().skip()
                self.refused("is in use by another run", second.next_batch)
                first.save()
            with self.tables(batches(5), checkpoints=folder, resume=True) as again:
                self.assertEqual(again.next_batch().step, 1)
                again._owner.abandon("enough")

    def test_a_checkpoint_of_another_pooling_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.tables(batches(5), checkpoints=folder) as tables:
                tables.next_batch().skip()
                tables.save()
            self.refused("tables.pooling was sum, is mean", self.tables, pooling="mean", checkpoints=folder, resume=True)

    def test_backward_of_a_batch_that_is_over(self):
        with self.tables(batches(3)) as tables:
            batch = tables.next_batch()
            loss = sum(one.sum() for one in batch.embeddings)
            tables._owner.current = None  # as after the next batch
            del batch
            self.refused("batch 0 is over", loss.backward)
            tables._owner.abandon("enough")

    def test_the_tables_are_read_before_and_after(self):
        with self.tables() as tables:
            tables.next_batch()
            self.refused("tables are being trained", tables.table, 0)
            tables._owner.abandon("enough")


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
