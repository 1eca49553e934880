"""A cell of a notebook that may run finds the names it uses: what defines them waits for no further exercise."""

import builtins
import re
import symtable

from tests.tools.repo_files import in_all, notebooks, read_cells, without_magic


def names(table: symtable.SymbolTable, made: bool) -> set[str]:
    """The global names that code makes, or else those that it uses, also inside its functions."""
    of_cell = table.get_type() == "module"
    found = {name.get_name() for name in table.get_symbols()
             if (of_cell or name.is_global()) and (name.is_assigned() or name.is_imported() if made else name.is_referenced())}
    return found.union(*(names(inner, made) for inner in table.get_children()))


def slips(cells) -> list[str]:
    """What a reader would meet as a NameError: a name of no cell above, or of a cell that waits for more exercises."""
    waits_of: dict[str, set[str]] = dict.fromkeys([*dir(builtins), "__file__"], set())
    found = []
    for index, (kind, text) in enumerate(cells):
        if kind != "code":
            continue
        magic = re.match(r"%%needs ([a-z0-9. ]+)\n", text)
        waits = set(magic[1].split()) - {"written"} if magic else set()
        table = symtable.symtable(without_magic(text), f"cell {index}", "exec")
        made = names(table, made=True)
        for name in sorted(names(table, made=False) - made):
            if name not in waits_of:
                found.append(f"cell {index}: no cell above makes {name}")
            elif not waits_of[name] <= waits:
                found.append(f"cell {index}: {name} also waits for {', '.join(sorted(waits_of[name] - waits))}")
        waits_of |= dict.fromkeys(made, waits)
    return found


@in_all(notebooks())
def test_a_cell_that_may_run_finds_its_names(path):
    assert slips(read_cells(path)) == []


def test_a_name_that_is_missing_or_waits_for_more_is_found():
    cells = [("code", "%%needs written 1.1\nx = 1"), ("code", "%%needs 1.2\ndef f(y):\n    return x + y\nf(z)")]
    assert slips(cells) == ["cell 1: x also waits for 1.1", "cell 1: no cell above makes z"]
