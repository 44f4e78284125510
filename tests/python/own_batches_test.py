"""Batches of the user's own: every form that arrays come in is trained alike, and mistakes are told."""

import sys
import unittest

import numpy as np

try:
    import torch
except ImportError:
    print("skipped: there is no torch for this python3")
    sys.exit(77)

import overture
import reference
from reference import DIM, ROWS, batches


def each(change, value):
    """The same of all arrays of a batch's value."""
    return [change(one) for one in value] if isinstance(value, list) else change(value)


FORMS = {
    "int32, float64": lambda one: {"ids": each(np.int32, one["ids"]), "offsets": each(np.int32, one["offsets"]),
                                   "dense": np.float64(one["dense"]), "labels": one["labels"].astype(bool)},
    "tensors": lambda one: {key: each(torch.from_numpy, value) for key, value in one.items()},
    "lists": lambda one: {key: each(np.ndarray.tolist, value) for key, value in one.items()},
    "a tuple": lambda one: tuple(one[key] for key in ("ids", "offsets", "dense", "labels")),
    "not contiguous": lambda one: {"ids": [np.repeat(ids, 2)[::2] for ids in one["ids"]], "offsets": one["offsets"],
                                   "dense": np.asfortranarray(one["dense"]), "labels": one["labels"].reshape(-1, 1)},
    "other byte order": lambda one: {**one, "ids": [ids.astype(">i8") for ids in one["ids"]], "dense": one["dense"].astype(">f4")},
    "offsets in one array": lambda one: {**one, "offsets": np.stack(one["offsets"])},
    "offsets in one tensor": lambda one: {**one, "offsets": torch.from_numpy(np.stack(one["offsets"]))},
    "offsets without the end": lambda one: {**one, "offsets": [starts[:-1] for starts in one["offsets"]]},
}


class Forms(unittest.TestCase):
    def trained(self, given):
        tables = overture.Tables(given, rows=ROWS, dim=DIM, lookahead=4, optimizer_params={"lr": 0.5})
        model = reference.Model()
        with tables:
            for batch in tables:
                reference.loss_of(model, batch.dense, batch.embeddings, batch.labels).backward()
        return [tables.table(t) for t in range(len(ROWS))]

    def test_all_forms_are_the_same_data(self):
        """Bags of up to four ids, some empty, some with one id twice."""
        given = list(batches(6, most_ids=4))
        self.assertTrue(any((np.diff(starts) == 0).any() for starts in given[0]["offsets"]))
        expected = self.trained(given)
        for name, form in FORMS.items():
            with self.subTest(name):
                for ours, theirs in zip(self.trained([form(one) for one in given]), expected):
                    np.testing.assert_array_equal(ours, theirs)

    def test_one_id_each_as_an_array_of_samples_and_tables(self):
        given = list(batches(4))
        expected = self.trained(given)
        for form in (np.stack, lambda ids, axis: torch.from_numpy(np.stack(ids, axis)), lambda ids, axis: np.stack(ids, axis).astype(np.uint16)):
            found = self.trained([{**one, "ids": form(one["ids"], 1)} for one in given])
            for ours, theirs in zip(found, expected):
                np.testing.assert_array_equal(ours, theirs)

    def test_an_empty_batch_is_skipped(self):
        given = list(batches(4))
        nothing = {"ids": [[]] * len(ROWS), "dense": np.zeros((0, reference.DENSE)), "labels": []}
        for ours, theirs in zip(self.trained([*given[:2], nothing, *given[2:], nothing]), self.trained(given)):
            np.testing.assert_array_equal(ours, theirs)

    def test_epochs(self):
        given = list(batches(3))
        tables = overture.Tables(given, rows=ROWS, dim=DIM, epochs=2)
        self.assertEqual(len(tables), 6)
        seen = []
        with tables:
            for batch in tables:
                seen.append(batch.labels.sum().item())
                batch.pooled.sum().backward()
        self.assertEqual(seen[:3], seen[3:])
        self.assertEqual(len(seen), 6)
        for act in (lambda: list(tables), lambda: overture.Tables(iter(given), rows=ROWS, epochs=2)):
            with self.assertRaisesRegex(overture.OvertureError, "epochs"):
                act()


class Mistakes(unittest.TestCase):
    def test_the_number_of_batches_counts_what_is_left_at_the_end_of_every_epoch(self):
        data = {"synthetic": "kaggle", "scale": 0.0005, "samples": 65}
        with overture.Tables(data, batch_size=64, epochs=3) as tables:
            self.assertEqual(len(tables), 6)
            self.assertEqual(sum(batch.skip() is None for batch in tables), 6)

    def refused(self, text, given, **options):
        with self.assertRaises(overture.OvertureError) as caught:
            with overture.Tables(given, **{"rows": ROWS, "dim": DIM, "lookahead": 3, **options}) as tables:
                for batch in tables:
                    batch.pooled.sum().backward()
        self.assertIn(text, str(caught.exception))

    def test_batches(self):
        one = next(batches(1))
        self.refused("ids of table 1: 7 is not from 0 to 6", [{**one, "ids": [one["ids"][0], one["ids"][1] * 0 + 7, *one["ids"][2:]]}])
        self.refused("is not a list of whole numbers", [{**one, "ids": [ids.astype(np.float32) for ids in one["ids"]]}])
        self.refused("has ids for 2 tables, not 4", [{**one, "ids": one["ids"][:2]}])
        self.refused("has ids for 8 tables, not 4", [{**one, "ids": one["ids"] * 2}])
        self.refused("has offsets for 1 tables, not 4", [{**one, "offsets": [np.arange(33)]}])
        self.refused("ids is int", [{**one, "ids": 5}])
        self.refused("ids of table 0 is not an array of numbers", [{**one, "ids": [[[1, 2], [3]]] * 4}])
        self.refused("is neither a mapping", [5])
        self.refused("is neither a mapping", [None])
        self.refused("there are no batches", [])
        self.refused("dense features are not an array of 32 rows", [{**one, "dense": one["dense"][:3]}])
        self.refused("dense features have 1 axes, not 2", [{**one, "dense": one["labels"]}])

    def test_arguments(self):
        for text, options in (
            ("dim: 2.5 is not a whole number", {"dim": 2.5}),
            ("rows: 5 is not a list of whole numbers", {"rows": 5}),
            ("rows[1]: -3 is less than 1", {"rows": [5, -3]}),
            ("lookahead: 0 is less than 1", {"lookahead": 0}),
            ("batch_size: 'a' is not a whole number", {"batch_size": "a"}),
            ("give its class, such as torch.optim.SGD", {"optimizer": torch.optim.SGD([torch.zeros(1)], lr=1)}),
            ("optimizer_params: lr is 'fast', not a number", {"optimizer_params": {"lr": "fast"}}),
            ("optimizer_params: SGD needs a learning rate", {"optimizer": torch.optim.SGD}),
            ("state: is bytes", {"state": b"abc"}),
            ("setup: is str", {"setup": "cache"}),
            ("cache.lookahed: unknown key", {"setup": {"cache": {"lookahed": 3}}}),
        ):
            with self.subTest(text):
                self.refused(text, list(batches(1)), **options)

    def test_states(self):
        layer = torch.nn.Linear(1, 1)
        for text, act in (
            ("state: is empty", lambda: overture.unpack(b"", model=layer)),
            ("state: is not what pack() made", lambda: overture.unpack(b"junk", model=layer)),
            ("the state has no model; it has other", lambda: overture.unpack(overture.pack(other=layer), model=layer)),
            ("model: is int, which has no state_dict()", lambda: overture.pack(model=5)),
        ):
            with self.assertRaises(overture.OvertureError) as caught:
                act()
            self.assertIn(text, str(caught.exception))


class Shown(unittest.TestCase):
    """What a notebook prints, and how a batch is a mapping."""

    def test_tables_and_batches(self):
        tables = overture.Tables(batches(2), rows=ROWS, dim=DIM)
        self.assertEqual(repr(tables), "<overture.Tables: 4 tables, 1,357 rows of 8 columns, not started>")
        self.assertRaises(TypeError, len, tables)  # as of a DataLoader whose data has no length
        self.assertTrue(tables)
        with tables:
            batch = tables.next_batch()
            self.assertEqual(repr(batch), "<overture.Batch 0: 32 samples, 4 tables, not looked up>")
            self.assertEqual([key for key in batch], ["dense_x", "sparse_vector", "target"])
            self.assertIn("target", batch)
            self.assertNotIn("labels", batch)
            self.assertEqual(dict(batch.items())["dense_x"].shape, (32, reference.DENSE))
            batch.pooled.sum().backward()
            self.assertTrue(repr(batch).endswith("trained>"))
            self.assertTrue(repr(tables).endswith("at batch 0>"))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
