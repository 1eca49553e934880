"""The given code of the batching labs: read it, use it, never edit it.

The map, from the ground up; each room imports only from the rooms above it in this list (tests/repo/test_imports.py):

    language.py   English or Spanish: `say(en=…, es=…)`
    paths.py      where labs, skeletons and the student's files are
    llm/          the Mini-GPT and its decode step (model.py), KV caches, tokenizer, checkpoint, the tutor
    runtime/      requests, clocks, arrivals, the server that a loop sees, the log of a run; paged/: with KV blocks
    schedulers/   the given loops (static, dynamic, continuous, paged) and the registry that finds any loop
    corpus/       the tutor's grammar and words, its training and evaluation
    environment/  .venv: what belongs in it, making it, running a command in it
    analysis/     pure functions of a log: percentiles such as p95 (metrics.py), slots, phases, Little's law, tables
    workloads/    requests and arrivals: from a seed, a trace or a file
    notebook/     what a notebook uses: exercises and hints, live code, progress, the student's copies
    simulation/   a run, pairs of runs, fleets of replicas, capacity, plans
    plots/        figures, one colour per idea
    lab.py        what a notebook imports: check, hint, reveal
    studies/      what the notebooks and the claims ledger measure
    extras/       beyond the labs: an HTTP server, load tests, other engines, exports, Ray, the labs in a browser
    cli/          one module per command of `python -m minigpt`
    __main__.py   the command line

`checkpoint/` holds the tutor's weights, `jupyter/` JupyterLab's settings. Graded checks, each with its hint, are in
tests/labNN/, the grader in tests/grader/; texts of the labs in solutions/NN_…/notebook.md, both languages side by side;
the hints of `lab.hint` in labs/NN_…/exercises.toml. CONTRIBUTING.md takes one walk through all of it.

Shape letters, the same in every file:

    B  sequences in the batch        T  new tokens of a sequence      S  attended tokens
    H  query heads                   K  key/value heads               D  size of one head
    E  width of the model            F  width of the feed-forward     V  vocabulary
"""

__version__ = "1.0.0"
