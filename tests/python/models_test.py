"""A trained model leaves and comes back: export, load_torch, predict, and training that starts from weights."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    import torch
except ImportError:
    print("skipped: there is no torch for this python3")
    sys.exit(77)

import overture

SAMPLES = 300
SMALL = ["--synthetic", "kaggle", "--scale", "0.0002", "--samples", "3000", "--mini-batch-size", "256", "--emb-size", "8",
         "--no-report", "-s", "data.test_every=0"]
MODELS = {
    "dlrm": ["--arch-mlp-bot", "13-32-8", "--arch-mlp-top", "32-1"],
    "dlrm cat itself": ["--arch-mlp-bot", "13-32-8", "--arch-mlp-top", "32-1", "--arch-interaction-itself"],
    "wide_and_deep": [],
    "dcn": ["--arch-mlp-bot", "13-32-8", "--arch-mlp-top", "32-1"],
    "deep_fm": [],
    "fgcnn": ["-s", "model.channels=4-6", "--arch-mlp-top", "32-1"],
    "caser": [],
}


def run(*arguments):
    done = subprocess.run([overture.program(), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class Leaving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = os.path.join(cls.folder.name, "new.jsonl")
        run("generate", "dataset", "--like", "kaggle", "--scale", "0.0002", "--samples", str(SAMPLES), "--seed", "9",
            "--out", cls.data)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def trained(self, name):
        folder = os.path.join(self.folder.name, name.replace(" ", "-"))
        if not os.path.exists(folder):
            run("train", "--model", name.split()[0], *MODELS[name], *SMALL, "-o", folder)
        return folder

    def scores(self, folder):
        out = os.path.join(folder, "scores.csv")
        run("predict", folder, "--data", self.data, "--out", out)
        with open(out, encoding="utf-8") as file:
            return np.array([float(row["score"]) for row in csv.DictReader(file)])

    def samples(self):
        with open(self.data, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        dense = torch.tensor([line["dense"] for line in lines])
        ids = torch.tensor([line["sparse"] for line in lines])
        return dense, [ids[:, t].contiguous() for t in range(ids.shape[1])]

    def test_all_six_models_predict_the_same_in_pytorch(self):
        for name in MODELS:
            with self.subTest(model=name):
                folder = self.trained(name)
                model = overture.load_torch(folder)
                self.assertIsInstance(model, torch.nn.Module)
                with torch.no_grad():
                    scores = torch.sigmoid(model(*self.samples())).numpy()
                np.testing.assert_allclose(scores, self.scores(folder), rtol=0, atol=1e-6)

    def test_labels_are_not_needed_to_predict(self):
        folder = self.trained("dlrm")
        expected = self.scores(folder)
        bare = os.path.join(self.folder.name, "bare.jsonl")
        with open(self.data, encoding="utf-8") as file, open(bare, "w", encoding="utf-8") as out:
            for line in file:
                sample = json.loads(line)
                del sample["label"]
                out.write(json.dumps(sample) + "\n")
        out = os.path.join(folder, "bare.csv")
        run("predict", folder, "--data", bare, "--out", out)
        with open(out, encoding="utf-8") as file:
            np.testing.assert_array_equal([float(row["score"]) for row in csv.DictReader(file)], expected)

    def test_files_of_others_hold_the_same_numbers(self):
        folder = self.trained("dlrm")
        expected = {name: one.detach().numpy() for name, one in overture.load_torch(folder).state_dict().items()}
        found = {}
        for to, ending in (("npz", "npz"), ("torch", "pt"), ("safetensors", "safetensors")):
            run("export", folder, "--to", to)
            file = os.path.join(folder, "weights." + ending)
            found[to] = {"npz": read_npz, "torch": read_torch, "safetensors": read_safetensors}[to](file)
        for to, arrays in found.items():
            with self.subTest(to=to):
                self.assertEqual(set(arrays), set(expected))
                for name, one in arrays.items():
                    np.testing.assert_array_equal(one, expected[name])

    def test_training_starts_from_weights(self):
        folder = self.trained("dlrm")
        for to, ending in (("npz", "npz"), ("torch", "pt"), ("safetensors", "safetensors")):
            with self.subTest(to=to):
                file = os.path.join(self.folder.name, "weights." + ending)
                run("export", folder, "--to", to, "-o", file)
                self.check_start(folder, file, to)
        saved = os.path.join(self.folder.name, "saved.pt")  # as PyTorch itself writes it
        torch.save(overture.load_torch(folder).state_dict(), saved)
        self.check_start(folder, saved, "state_dict")

    def check_start(self, folder, file, name):
        again = os.path.join(self.folder.name, "from-" + name)
        run("train", "--model", "dlrm", *MODELS["dlrm"], *SMALL, "--weights", file, "--num-batches", "1",
            "--learning-rate", "1e-30", "-o", again)
        np.testing.assert_allclose(self.scores(again), self.scores(folder), rtol=0, atol=1e-7)

    def test_weights_of_another_model_are_refused(self):
        folder = self.trained("dlrm")
        file = os.path.join(self.folder.name, "other.npz")
        run("export", self.trained("deep_fm"), "-o", file)
        done = subprocess.run([overture.program(), "train", "--model", "dlrm", *MODELS["dlrm"], *SMALL, "--weights", file, "-o",
                               os.path.join(self.folder.name, "refused")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bottom.0.weight is missing", done.stderr)
        self.assertTrue(os.path.exists(folder))


def read_npz(file):
    with np.load(file) as found:
        return dict(found)


def read_torch(file):
    return {name: one.numpy() for name, one in torch.load(file).items()}


def read_safetensors(file):
    with open(file, "rb") as text:
        raw = text.read()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    return {name: np.frombuffer(raw[8 + length :][slice(*one["data_offsets"])], "<f4").reshape(one["shape"])
            for name, one in header.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
