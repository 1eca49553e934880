"""The exported directory in Hugging Face's hands: ids, logits and greedy tokens are ours."""

import pytest
import torch

from minigpt.corpus.prompts import tutor_prompts
from minigpt.extras.export.export import export
from minigpt.llm.tokenizer import EOS_TOKEN_ID, VOCAB_SIZE, decode, encode, encode_prompt
from minigpt.llm.tutor import answer_all, load_tutor

pytestmark = pytest.mark.xdist_group("transformers")  # one process loads it
TEXTS = (
    "fix: she go to school\n", "corrige: el niña es alto ñ ¿¡«»\n", "", " two  spaces ", "\ttab\r\n\n",
    "\x00\x7f\x80ÿ", "漢字 🙂", "<|end|>", "a<|end|>b", "don't WON'T 1234567",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "tutor"
    export(load_tutor(), folder, only="hf")
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder):
    from transformers import AutoTokenizer  # here: two seconds that no other test process waits

    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def load_llama(folder):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True).eval()


@pytest.mark.parametrize("text", TEXTS)
def test_the_tokenizer_gives_our_ids_and_nothing_more(tokenizer, text):
    ids = tokenizer(text)["input_ids"]
    assert ids == encode(text)
    assert tokenizer.decode(ids) == text


def test_every_single_byte_and_eos_have_our_ids(tokenizer):
    assert (len(tokenizer), tokenizer.eos_token_id, tokenizer.bos_token_id) == (VOCAB_SIZE, EOS_TOKEN_ID, None)
    for byte in range(128):
        assert tokenizer.decode([byte]) == chr(byte)
    every_two_bytes = [token for first in range(0xC2, 0xE0) for last in range(0x80, 0xC0) for token in (first, last)]
    assert tokenizer.decode(every_two_bytes) == decode(every_two_bytes)
    assert tokenizer.decode([97, EOS_TOKEN_ID], skip_special_tokens=True) == "a"


def test_prompts_of_the_pool_are_encoded_as_the_tutor_sees_them(tokenizer):
    for pool in tutor_prompts().values():
        for prompt in pool[::10]:
            assert tokenizer(prompt.prompt + "\n")["input_ids"] == encode_prompt(prompt.prompt)


def test_prompts_of_different_lengths_are_padded_on_the_left(tokenizer):
    batch = tokenizer(["fix: a\n", "b\n"], padding=True)
    assert batch["input_ids"][1] == [EOS_TOKEN_ID] * 5 + encode("b\n")
    assert batch["attention_mask"][1] == [0] * 5 + [1] * 2


@torch.no_grad()
def test_generate_answers_as_the_tutor_and_ends_by_itself(folder, tokenizer):
    llama = load_llama(folder)
    prompts = [prompt for pool in tutor_prompts().values() for prompt in pool[:: len(pool) // 6]]
    answers = answer_all(load_tutor(), [list(prompt.token_ids) for prompt in prompts])
    for prompt, answer in zip(prompts, answers, strict=True):
        inputs = tokenizer(prompt.prompt + "\n", return_tensors="pt")
        output = llama.generate(**inputs, max_new_tokens=128)[0, len(prompt.token_ids) :].tolist()
        assert output == [*answer.token_ids, EOS_TOKEN_ID]


@torch.no_grad()
def test_an_endless_export_never_says_eos(tmp_path):
    export(load_tutor(), tmp_path / "endless", only="hf", endless=True)
    llama = load_llama(tmp_path / "endless")
    prompt = tutor_prompts()["fix"][0]
    limit = len(prompt.answer_ids) + 20
    tokens = torch.tensor([prompt.token_ids])
    output = llama.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=limit)
    answer = output[0, len(prompt.token_ids) :].tolist()
    assert len(answer) == limit and EOS_TOKEN_ID not in answer
    assert tuple(answer[: len(prompt.answer_ids)]) == prompt.answer_ids
