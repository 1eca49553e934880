# Every target is a command of `python -m minigpt`; without make (Windows): py -m minigpt COMMAND.

# An environment that was made with PYTHON=python3.12 goes on being used where python3 is too old.
PYTHON ?= $(shell test -x .venv/bin/python && echo .venv/bin/python || echo python3)
MINIGPT = $(PYTHON) -m minigpt

# Values reach the shell as variables, never as text of a command: quotes and spaces in them are harmless.
export LAB IMPL JSON DIR OUT
ifdef MINIGPT_LANG
export MINIGPT_LANG
endif
ifdef TORCH_INDEX
export TORCH_INDEX
endif

.DEFAULT_GOAL := help
.PHONY: help setup lab test test-all browser check grade grade-all reset bench train eval build figures slides claims engines ray-test mutation release web clean

help:
	@$(MINIGPT) help --make

setup:
	@$(MINIGPT) setup

lab:
	@$(MINIGPT) lab "$$LAB" -- $(ARGS)

test:
	@$(MINIGPT) test $(ARGS)

# With the slow ones: more than an hour.
test-all:
	@$(MINIGPT) test-all $(ARGS)

browser:
	@$(MINIGPT) browser $(ARGS)

# In an environment of its own, .venv-ray (1.4 GB).
ray-test:
	@$(MINIGPT) ray-test $(ARGS)

check:
	@$(MINIGPT) check $(ARGS)

# An empty LAB is passed on: the command then lists the labs.
grade:
	@$(MINIGPT) grade "$$LAB" $${IMPL:+--impl "$$IMPL"} $${JSON:+--json "$$JSON"} $(ARGS)

# ARGS="--class-seed autumn": a workload of its own for each student.
grade-all:
	@$(MINIGPT) grade-all "$$DIR" --out "$${OUT:-results}" $${LAB:+--lab "$$LAB"} $(ARGS)

reset:
	@$(MINIGPT) reset "$$LAB" $(ARGS)

bench:
	@$(MINIGPT) bench $(ARGS)

train:
	@$(MINIGPT) train $(ARGS)

eval:
	@$(MINIGPT) eval $(ARGS)

claims:
	@$(MINIGPT) claims $(ARGS)

# ARGS="--impl student --repeats 1": the student's own loop, once.
engines:
	@$(MINIGPT) engines $(ARGS)

# ARGS="--only 3.6" or ARGS="--sample 200 --seed 1".
mutation:
	@$(MINIGPT) mutation $$LAB $(ARGS)

build:
	@$(MINIGPT) build $(ARGS)

figures:
	@$(MINIGPT) figures $(ARGS)

slides:
	@$(MINIGPT) slides $$LAB $(ARGS)

# A folder that must be new or empty.
release:
	@$(MINIGPT) release "$$DIR"

# The labs as a static page; without DIR it is served here. ARGS="--port 8001".
web:
	@$(MINIGPT) web $${DIR:+"$$DIR"} $(ARGS)

clean:
	@$(MINIGPT) clean
