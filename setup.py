"""`pip install .`: builds the Python package with CMake, from what the distribution has; nothing is downloaded.

OVERTURE_BUILD names a build folder to take the native part from, instead of building it anew.
"""

import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(overture VERSION (\S+)", file.read()).group(1)


class CMakeBuild(build_ext):
    """The native part and the program, put into the package."""

    def build_extension(self, extension):
        package = os.path.dirname(os.path.abspath(self.get_ext_fullpath(extension.name)))
        folder = os.environ.get("OVERTURE_BUILD") or self.compile()
        os.makedirs(package, exist_ok=True)
        made = os.path.join(folder, "python", "overture")
        native = [one for one in os.listdir(made) if one.startswith("_native")]
        for name in [*native, "overture"]:
            shutil.copy2(os.path.realpath(os.path.join(made, name)), os.path.join(package, name))

    def compile(self):
        folder = os.path.join(ROOT, "build", "python")
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DOVERTURE_TESTS=OFF", "-DOVERTURE_BENCH=OFF",
                   f"-DPython_EXECUTABLE={sys.executable}"]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, *options], check=True)
        with open(os.path.join(folder, "CMakeCache.txt"), encoding="utf-8") as file:
            if "OVERTURE_PYTHON_MODULE:BOOL=ON" not in file.read():
                sys.exit("error: pybind11 or numpy is missing for this python3\n"
                         "  on Debian: apt-get install pybind11-dev python3-pybind11 python3-dev python3-numpy")
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder, "--target", "overture_package", "--parallel", jobs], check=True)
        return folder


setup(
    name="overture",
    version=version(),
    description="Train, simulate and co-design deep learning recommendation models",
    license="Apache-2.0",
    package_dir={"": "python"},
    packages=["overture", "BagPipe"],
    package_data={"overture": ["py.typed", "*.pyi"]},
    entry_points={"console_scripts": ["overture = overture.__main__:main"]},
    ext_modules=[Extension("overture._native", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    python_requires=">=3.9",
    install_requires=["numpy"],
    zip_safe=False,
)
