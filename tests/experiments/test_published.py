"""The file that chapter 9 reads comes out of the published model's weights."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="for `nox -s torch`")
from experiments import minilm, published, words  # noqa: E402

OLD = np.load(published.KEPT)


@pytest.fixture(scope="module")
def package():
    found = minilm.fetched()
    if found is None:
        pytest.skip("the package with the weights cannot be had here")
    return found


def test_the_file_is_small_and_the_first_four_clocks_are_in_its_table():
    assert published.KEPT.stat().st_size < 200_000
    clocks = published.Clocks(OLD["table"] * OLD["step"])
    assert np.allclose(abs(clocks.V @ OLD["directions"].T), np.eye(10), atol=0.02)
    turns = 2 * np.pi / clocks.speeds[:4]
    assert np.allclose(turns, [6.07, 18.2, 54.6, 163], rtol=0.01)


def test_the_model_in_numpy_gives_the_similarities_of_its_card(package):
    w, tokenizer = minilm.opened(package)
    vectors = []
    for text in (
        "The weather is lovely today.",
        "It's so sunny outside!",
        "He drove to the stadium.",
    ):
        tokens = tokenizer.encode(text).ids
        rows = w["embeddings.position_embeddings.weight"][: len(tokens)]
        rows = rows + w["embeddings.token_type_embeddings.weight"][0]
        read = w["embeddings.word_embeddings.weight"][tokens] + rows
        x = minilm.norm(read, w, "embeddings")
        vectors.append(words.vector(x, w, minilm.scores_of(x, w, 0)))
    likeness = np.array(vectors) @ np.array(vectors).T
    assert np.allclose(
        likeness[[0, 0, 1], [1, 2, 2]], [0.666, 0.1046, 0.1411], atol=1e-3
    )


def test_made_anew_it_is_what_is_committed(package):
    new = published.made(*minilm.opened(package))
    assert published.differences(new, OLD) == []
    moved = {**new, "one_back": new["one_back"] - 0.1, "table": new["table"] + 1}
    assert published.differences(moved, OLD) == ["one_back", "table"]
