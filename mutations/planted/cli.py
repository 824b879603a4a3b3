"""Bugs in the command line."""

from ..mutation import Mutation, Python

OUTPUTS = Python("tests/cli/test_outputs.py")
SEGMENT = Python("tests/cli/test_segment_command.py")
CLUSTER = Python("tests/cli/test_cluster.py", "tables or arrays or pickles or cells or readable")

MUTATIONS = [
    Mutation(
        "outputs-after-a-failure",
        "files are replaced although one of them could not be written",
        "src/quickshiftpp/cli/_files.py",
        "            if kind is None:\n",
        "            if kind is None or kind is not KeyboardInterrupt:\n",
        [OUTPUTS],
    ),
    Mutation(
        "outputs-in-place",
        "a file is overwritten in place, not replaced",
        "src/quickshiftpp/cli/_files.py",
        """        handle, name = tempfile.mkstemp(prefix=".quickshiftpp-", dir=target.parent)
""",
        """        name = str(target)
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
""",
        [OUTPUTS],
    ),
    Mutation(
        "outputs-link",
        "a symbolic link is replaced by a file",
        "src/quickshiftpp/cli/_files.py",
        "        target = real(path)\n",
        "        target = path\n",
        [OUTPUTS],
    ),
    Mutation(
        "outputs-permissions",
        "a private file that is replaced becomes readable by all",
        "src/quickshiftpp/cli/_files.py",
        "        os.chmod(self.temporary, mode)\n",
        "        os.chmod(self.temporary, mode | 0o044)\n",
        [OUTPUTS],
    ),
    Mutation(
        "outputs-input",
        "an input is overwritten through a link",
        "src/quickshiftpp/cli/_files.py",
        "if identity(path) is not None and identity(path) == identity(file):",
        "if path == file:",
        [OUTPUTS],
    ),
    Mutation(
        "segment-overwrites-an-image",
        "an image is overwritten by the output of another one",
        "src/quickshiftpp/cli/_segment.py",
        "            if same is not None:\n",
        "            if same is target.image:\n",
        [OUTPUTS],
    ),
    Mutation(
        "images-16-bit",
        "16-bit gray values are a little too bright in pictures",
        "src/quickshiftpp/cli/_images.py",
        "values = values // 257",
        "values = values // 256",
        [SEGMENT],
    ),
    Mutation(
        "images-float-range",
        "float images from 0 to 1 are scaled",
        "src/quickshiftpp/cli/_images.py",
        "if low >= 0 and high <= (1 if is_float else _LARGEST_16_BIT):",
        "if low >= 0 and not is_float and high <= _LARGEST_16_BIT:",
        [SEGMENT],
    ),
    Mutation(
        "csv-quotes",
        "quotes in cells are not doubled",
        "src/quickshiftpp/cli/_write.py",
        """doubled = pc.replace_substring(text, '"', '""')""",
        "doubled = text",
        [CLUSTER],
    ),
    Mutation(
        "csv-decimal-comma",
        "decimal commas are read as text",
        "src/quickshiftpp/cli/_read.py",
        "    if decimal_comma:\n",
        "    if not decimal_comma:\n",
        [CLUSTER],
    ),
    Mutation(
        "npy-pickles",
        "arrays of objects are unpickled",
        "src/quickshiftpp/cli/_read.py",
        "np.lib.format.read_array(file, allow_pickle=False)",
        "np.lib.format.read_array(file, allow_pickle=True)",
        [CLUSTER],
    ),
]
