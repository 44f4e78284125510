"""Typed stubs and annotations: whatever users can call is in them, and nothing else."""

import ast
import inspect
import os
import sys
import unittest

try:
    import overture
    from overture import _native
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FOLDER = overture.__path__[0]


def public(names):
    return {one for one in names if not one.startswith("_")}


def stub():
    """Names of the stub file: of the module, and of every class."""
    with open(os.path.join(FOLDER, "_native.pyi"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = {one.name: one for one in tree.body if isinstance(one, (ast.ClassDef, ast.FunctionDef))}
    members = {name: {part.name for part in one.body if isinstance(part, ast.FunctionDef)}
               for name, one in names.items() if isinstance(one, ast.ClassDef)}
    return set(names), members


class Stubs(unittest.TestCase):
    def test_the_native_part_is_described_as_it_is(self):
        self.assertEqual(public(stub()[0]), public(dir(_native)))

    def test_so_is_every_class_of_it(self):
        for name, members in stub()[1].items():
            made = getattr(_native, name)
            if issubclass(made, Exception):
                continue
            with self.subTest(name):
                self.assertEqual(public(members), public(vars(made)))

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))

    def test_all_names_the_package_promises_are_there(self):
        for name in overture.__all__:
            self.assertTrue(hasattr(overture, name), name)


class Annotations(unittest.TestCase):
    """The rest of the package is Python: its own files say the types, and what things are for."""

    def check(self, function, name):
        self.assertTrue(inspect.getdoc(function), f"{name} has no docstring")
        self.assertIsNot(inspect.signature(function).return_annotation, inspect.Signature.empty, f"{name} returns no type")
        self.check_types(function, name)

    def check_types(self, function, name):
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in ("self", "cls") or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            self.assertIsNot(parameter.annotation, parameter.empty, f"{parameter.name} of {name} has no type")

    def test_every_public_function_and_class(self):
        from overture import bagpipe

        for module, names in ((overture, overture.__all__), (bagpipe, ["BagCache", "init_cache"])):
            for name in names:
                one = getattr(module, name)
                with self.subTest(name):
                    self.assertTrue(inspect.getdoc(one), f"{name} has no docstring")
                    if inspect.isclass(one) and not issubclass(one, Exception):
                        self.check_members(one)
                    elif inspect.isfunction(one):
                        self.check(one, name)

    def check_members(self, kind):
        """Methods and properties of a class."""
        for name, member in vars(kind).items():
            if name.startswith("_") and name != "__init__" or not isinstance(member, property) and not inspect.isfunction(member):
                continue
            full = f"{kind.__name__}.{name}"
            if isinstance(member, property):
                self.assertTrue(inspect.getdoc(member), f"{full} has no docstring")
                self.assertIn("return", member.fget.__annotations__, f"{full} has no type")
            elif name != "__init__":
                self.check(member, full)
            else:
                self.check_types(member, full)

    def test_editors_know_the_arguments_of_every_function(self):
        """What help() shows first: no *args, **kwargs in place of names."""
        for name in ("simulate", "flows", "bench_collective", "Tables"):
            self.assertNotIn("**", str(inspect.signature(getattr(overture, name))))


if __name__ == "__main__":
    unittest.main()
