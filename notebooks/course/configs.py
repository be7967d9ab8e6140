"""What decides a score by position, read from a model's config.json."""

import math
import re
from dataclasses import dataclass

import numpy as np

from course.families import (
    BETA,
    FAMILIES,
    FIRST,
    LENGTH,
    OLD_NAMES,
    PARTIAL,
    QUOTIENT,
    TYPES,
)
from utils import LARGEST, as_floats, frequencies, is_integer, is_number, shown_in_error

KINDS = {"full_attention": "full", "sliding_attention": "window",
         "chunked_attention": "chunk", "linear_attention": "linear"}  # fmt: skip
NAMES = {kind: name for name, kind in KINDS.items()}
# Keys which decide positions: one of them that a family's code does not read is refused
DECIDES = re.compile(
    "rope|rotary|rotat|position|window|sliding|swa_|chunk(?!_size_feed)|alibi|nope|ntk"
    "|yarn|logn|scaling_b|attn_scale|floor_scale|temperature_t|(?<!mlp_)layer_types"
    "|causal|att(n|ention)_(type|layer_|layers)|bidirection|relative_|full_att|head_dim$"
    "|(?<!num_)(glob|loc)al_|layer_config|index_topk"
)
# Values that change nothing; of other keys, None and False
HARMLESS = {"position_embedding_type": [None, "rope", "rotary"], "rotary": [None, True],
            "is_causal": [True],
            "use_bidirectional_attention": [None, False, "vision"]}  # fmt: skip
# Parts that are not the text model
OTHER = re.compile("vision|audio|image|video|quant|perceiver|projector|encoder")
EVERYWHERE = """model_type max_position_embeddings head_dim v_head_dim
    linear_key_head_dim linear_value_head_dim"""


@dataclass(frozen=True, eq=False)
class Rope:
    """How the heads of a layer turn."""

    rotated: range  # these dimensions of a head
    base: float
    before: np.ndarray  # radians a token for each pair, before any scaling
    omega: np.ndarray  # and as they are used
    attention_factor: float  # multiplies what has turned, of queries and of keys
    score_factor: float  # its square; DeepSeek's code multiplies the whole score, too


@dataclass(frozen=True, eq=False)
class Layer:
    """What a query at place m meets: in a "full" layer the keys 0 … m, of these in a
    "window" the last `span`, in a "chunk" those since the last multiple of `span`; in a
    "linear" layer there are no scores."""

    kind: str
    span: int | None
    rope: Rope | None  # None: without RoPE
    temperature: tuple | None = None

    def query_factor(self, pos):
        """What multiplies a query at `pos`, a number or an array, beside all else."""
        strength, step, first = self.temperature or (0, 1, 0)
        return 1 + strength * np.log1p(np.floor((np.asarray(pos) + first) / step))


@dataclass(frozen=True, eq=False)
class Positions:
    """What `read_positions` returns."""

    layers: tuple
    length: int  # tokens, as the next key says
    length_from: str
    changes_beyond: int | None  # longer texts have another omega
    layout: str  # of a pair: "neighbours" 2i, 2i + 1; "halves" i, i + d/2
    sign: int  # 1: (x, y) to (x cos − y sin, y cos + x sin); −1: the other way

    def rope(self, kind="full"):
        """The first RoPE in layers of a kind; None if they have none."""
        return next((x.rope for x in self.layers if x.kind == kind and x.rope), None)


def read_positions(config, length=None):
    """What decides a score by position, as Transformers reads it, or a refusal.

    Parameters
    ----------
    config : dict
        The entries of a config.json. Its `model_type`, or that of its `text_config`,
        must be one of `FAMILIES`: much is left to the code of the family.
    length : int, optional
        Tokens of the text: with dynamic and longrope, `omega` depends on it.

    Returns
    -------
    Positions

    Raises
    ------
    ValueError
        If an entry that decides positions is missing, unknown, contradicted by another,
        or not read by the code of the family. The message names it.

    Examples
    --------
    >>> llama = {"model_type": "llama", "num_hidden_layers": 32, "head_dim": 128,
    ...          "max_position_embeddings": 4096}
    >>> read = read_positions(llama)
    >>> len(read.layers), read.layers[0].kind, read.layout, read.length
    (32, 'full', 'halves', 4096)
    >>> read.rope().base, len(read.rope().omega), read.rope().score_factor
    (10000.0, 64, 1.0)
    >>> read_positions(llama | {"alibi": True})
    Traceback (most recent call last):
    ValueError: not read here: alibi True, with model_type 'llama'
    """
    config, family = _text_model(config)
    if length is not None:
        _count({"length": length}, "length")
    kinds, spans = _kinds(config, family.rule)
    still = {"linear", family.nope}
    turning = [
        turns and kind not in still
        for kind, turns in zip(kinds, _turns_by_list(config, len(kinds)))
    ]
    ropes, first, beyond, warmer = {}, None, [], {True: None, False: None}
    for kind in sorted({kind for kind, turns in zip(kinds, turning) if turns}):
        said = _entries(config, family, kind)
        ropes[kind] = _rope(config, family, kind, said, length)
        first = said[FIRST] or first
        if said["rope_type"] in ("dynamic", "longrope"):
            beyond.append(said[FIRST] or config[LENGTH])
        if BETA in family.keys and said.get(BETA) != 0:  # Ministral 3: all layers
            warmer[True] = (_number(said, BETA), first, 0)
    if config.get("attn_temperature_tuning"):  # Llama 4: layers without RoPE
        step = _count(config, "floor_scale")
        warmer[False] = (_number(config, "attn_scale"), step, 1)
    layers = [
        Layer(kind, spans.get(kind), ropes[kind] if turns else None, warmer[turns])
        for kind, turns in zip(kinds, turning)
    ]
    return Positions(
        layers=tuple(layers),
        length=first or _count(config, LENGTH),
        length_from=FIRST if first else LENGTH,
        changes_beyond=min(beyond, default=None),
        layout=family.layout if config.get("rope_interleave", True) else "halves",
        sign=family.sign,
    )


# ---- which model, and which of its entries -------------------------------------------
def _refuse(key, value, why=""):
    raise ValueError(f"not read here: {key} {shown_in_error(value)}{why}")


def _number(entries, key):
    value = entries.get(key)
    if not is_number(value) or not 0 < value <= 1e15:
        got = shown_in_error(value) if key in entries else "no such key"
        raise ValueError(f"{key} must be a number > 0, at most 1e15; got {got}")
    return value


def _count(entries, key, most=LARGEST):
    value = _number(entries, key)
    if not is_integer(value) or value > most:
        got = shown_in_error(value)
        raise ValueError(f"{key} must be an integer from 1 to {most}; got {got}")
    return value


def _text_model(config):
    """The entries of the text model under their new names, and its family."""
    if not isinstance(config, dict):
        got = shown_in_error(config)
        raise ValueError(f"config must be the dict of a config.json; got {got}")
    name = config.get("model_type")
    if config.get("text_config") is not None:
        if str(name).startswith("paligemma"):
            _refuse("model_type", name, ": what is asked is read both ways")
        outer, config = {**config}, config["text_config"]
        del outer["text_config"]
        if not isinstance(config, dict):
            _refuse("text_config", config)
        inside = {key for key in outer if key in config and config[key] == outer[key]}
        _check_keys(outer, inside, ", beside text_config")
        left_out = f"{name}_text" if f"{name}_text" in FAMILIES else None
        name = config.get("model_type", left_out)
    if not isinstance(name, str) or name not in FAMILIES:
        decide = ", ".join(sorted(map(str, filter(_decides, config))))
        _refuse("model_type", name, f", whose code may read otherwise: {decide or '-'}")
    family = FAMILIES[name]
    known = {*EVERYWHERE.split(), *family.keys.split(), *family.rope_keys.split()}
    known |= family.defaults.keys()
    _check_keys(config, known, f", with model_type {name!r}")
    late = {"rope_theta", PARTIAL, "rotary_pct", "rotary_emb_base", FIRST}  # _entries
    entries = {key: family.defaults[key] for key in family.defaults.keys() - late}
    entries |= {x: y for x, y in config.items() if x in known or not _decides(x)}
    entries["model_type"] = name
    for old in known & OLD_NAMES.keys() & config.keys():
        entries[OLD_NAMES[old]] = _once(OLD_NAMES[old], config, config[old])
    return entries, family


def _decides(key):
    return DECIDES.search(str(key)) is not None


def _check_keys(config, known, where):
    """Refuse what decides positions, and is not read."""
    for key, value in config.items():
        nested = isinstance(value, dict)
        fine = value is None or value is False
        if key in HARMLESS:
            fine = value in HARMLESS[key]
        if key == "attn_type_list" and isinstance(value, list):  # MiniMax: all full
            fine = all(x == 1 for x in value)
        if key in known or fine or (nested and OTHER.search(str(key))):
            continue
        if _decides(key):
            _refuse(key, value, where)
        if nested:
            _check_keys(value, (), f", in {key}{where}")


def _once(key, config, value, default=None):
    """An entry that may stand in two places: the value in one, or in both."""
    other = config.get(key, default if value is None else None)
    if None not in (value, other) and value != other:
        _refuse(key, value, f" and {shown_in_error(other)}")
    return other if value is None else value


# ---- the layers ----------------------------------------------------------------------
def _kinds(config, rule):
    """The kind of each layer, and how far each kind reaches."""
    count, types = _count(config, "num_hidden_layers", 9999), config.get("layer_types")
    rule, _, period = rule.partition(" ")
    window, chunk = config.get("sliding_window"), config.get("attention_chunk_size")
    if not config.get("use_sliding_window", True):
        window = None
    if types is not None:
        kinds = _kinds_by_list(types, ["full", rule.replace("late", "window")], count)
    elif config.get("_sliding_window_pattern"):
        _refuse("_sliding_window_pattern", config["_sliding_window_pattern"])
    elif period:  # every n-th layer is full
        keys = {"window": "sliding_window_pattern", "linear": "full_attention_interval"}
        n = _count({keys[rule]: int(period[0])} | config, keys[rule])
        kinds = ["full" if (i + 1) % n == 0 else rule for i in range(count)]
    elif rule == "chunk":
        rule = "full" if chunk is None else rule
        kinds = [rule if on else "full" for on in _turns_by_list(config, count)]
    else:
        begin = config.get("max_window_layers") if rule == "late" else 0
        if not is_integer(begin) or begin < 0:
            _refuse("max_window_layers", begin)
        begin = count if window is None or rule == "full" else begin
        kinds = ["window" if i >= begin else "full" for i in range(count)]
    if period.endswith("full"):  # Gemma 4
        kinds[-1] = "full"
    spans = {}
    if "window" in kinds:
        spans["window"] = _count({"sliding_window": window}, "sliding_window")
    if "chunk" in kinds:
        spans["chunk"] = _count(config, "attention_chunk_size")
    return kinds, spans


def _kinds_by_list(types, readable, count):
    if not isinstance(types, list) or len(types) != count:
        _refuse("layer_types", types, f", with {count} layers")
    for name in types:
        if not isinstance(name, str) or KINDS.get(name) not in readable:
            _refuse("layer_types", name)
    return [KINDS[name] for name in types]


def _turns_by_list(config, count):
    """Which layers have RoPE, by the list no_rope_layers, in which 0 means none."""
    turns = config.get("no_rope_layers")
    if turns is None and "no_rope_layer_interval" not in config:
        return [True] * count
    if turns is None or (turns == [] and config["model_type"] == "llama4_text"):
        n = _count(config, "no_rope_layer_interval")
        return [(i + 1) % n != 0 for i in range(count)]
    fits = isinstance(turns, list) and len(turns) == count
    if not fits or not all(turn in (0, 1) for turn in turns):
        _refuse("no_rope_layers", turns, f", with {count} layers")
    return [turn == 1 for turn in turns]


# ---- how they turn -------------------------------------------------------------------
def _entries(config, family, kind):
    """All that the configuration says of RoPE in layers of a kind."""
    where = "rope_parameters" if config.get("rope_parameters") else "rope_scaling"
    said = config.get(where) or {}
    if not said and "default" not in family.types.split():
        which = f"with model_type {config['model_type']!r}"
        raise ValueError(f"not read here: no rope_parameters, {which}")
    if where == "rope_parameters" and config.get("rope_scaling"):
        _refuse("rope_scaling", config["rope_scaling"], ", beside rope_parameters")
    local = family.local if kind == "window" else 0
    if isinstance(said, dict) and any(isinstance(x, dict) for x in said.values()):
        said, where = said.get(NAMES[kind]), f"{where}.{NAMES[kind]}"
    elif said and family.local and where == "rope_parameters":
        _refuse(where, said, ", not for each kind of layer")
    elif local:  # in the old form, full layers are scaled
        said = {}
    by_kind = "rope_parameters." if family.local else "-"
    if not isinstance(said, dict) or ("." in where and not where.startswith(by_kind)):
        _refuse(where, said)
    said = {**said}
    defaults = {OLD_NAMES.get(key, key): x for key, x in family.defaults.items()}
    key = "rope_local_base_freq" if local else "rope_theta"
    default = local or defaults.get("rope_theta", 1e4)
    if "rope_parameters" in defaults:  # Gemma 4 has none for parts of them
        default = None
    said["rope_theta"] = _once(key, config, said.get("rope_theta"), default)
    share = said.get(PARTIAL, config.get(PARTIAL))
    if share is not None and config.get("rotary_dim") is not None:
        _refuse("rotary_dim", config["rotary_dim"], f", beside {PARTIAL} {share}")
    said[PARTIAL] = _once(PARTIAL, config, said.get(PARTIAL), defaults.get(PARTIAL, 1))
    said["rope_type"] = _once("type", said, said.get("rope_type"), "default")
    first = config.get(FIRST)
    if said["rope_type"] != "default" and first is None:
        first = defaults.get(FIRST)
    said[FIRST] = _once(FIRST, {FIRST: first}, said.get(FIRST))
    _check_type(said, config, family, where)
    return said


def _check_type(said, config, family, where):
    """Refuse a type of RoPE that the family has not, and keys that it does not read."""
    how = said["rope_type"]
    if how == "su" and config["model_type"] == "phi3":  # its old name
        how = said["rope_type"] = "longrope"
    if how not in family.types.split():
        _refuse("rope_type", how, f", with model_type {config['model_type']!r}")
    reads = f"rope_type type rope_theta {PARTIAL} {TYPES[how]}".split()
    if BETA in family.keys:  # Ministral 3
        reads += [BETA, LENGTH]
        _once(LENGTH, config, said.get(LENGTH))
    if FIRST in config:  # Phi-3
        reads += [FIRST]
    if FIRST in reads:
        _count(said, FIRST)
    for key, value in said.items():
        unread = key not in reads or (family.local and key in ("truncate", "type"))
        if unread and value is not None:
            _refuse(f"{where}.{key}", value, f", with rope_type {how!r}")


def _rope(config, family, kind, said, length):
    """How the heads of layers of a kind turn."""
    how, share = said["rope_type"], _number(said, PARTIAL)
    reads = {PARTIAL, "rotary_pct"} & {*family.defaults, *family.keys.split()}
    if share > 1 or (share < 1 and not reads and how != "proportional"):
        _refuse(PARTIAL, share, f", with model_type {config['model_type']!r}")
    rotated = _rotated(config, kind, 1 if how == "proportional" else share)
    if _number(said, "rope_theta") <= 1:
        _refuse("rope_theta", said["rope_theta"], ": not above 1")
    before = frequencies(len(rotated), said["rope_theta"])
    if how == "proportional":  # the first, fast pairs turn, the others stand still
        before[int(share * len(rotated) // 2) :] = 0
        said.setdefault("factor", 1)
    omega, factor = SCALED[how](said, before, _count(config, LENGTH), length)
    for array in (before, omega):
        array.setflags(write=False)
    score = factor**2
    if "qk_rope_head_dim" in family.defaults and said.get("mscale_all_dim"):
        score *= _mscale(_number(said, "factor"), _number(said, "mscale_all_dim")) ** 2
    return Rope(rotated, said["rope_theta"], before, omega, float(factor), float(score))


def _rotated(config, kind, share):
    """Which dimensions of a head turn."""
    if "qk_rope_head_dim" in config:
        start = _count(config, "qk_nope_head_dim")
        d = d_head = _count(config, "qk_rope_head_dim", 2**16)
        _once("head_dim", config, d)
    else:
        start, d_head = 0, _d_head(config, kind)
        d = int(d_head * share)
    if "rotary_dim" in config:
        d = _count(config, "rotary_dim")
        if config["model_type"] == "minimax_m2":  # its code makes a share of it
            d = int(d_head * (d / d_head))
    if d % 2 or not 4 <= d <= d_head:
        _refuse("rotary_dim", d, f", of head_dim {d_head}: not even, from 4 to this")
    return range(start, start + d)


def _d_head(config, kind):
    """The width of a head."""
    if kind == "full" and "global_head_dim" in config:
        return _count(config, "global_head_dim", 2**16)
    own, quotient = config.get("head_dim"), config["model_type"] in QUOTIENT
    if own is not None and not quotient:
        return _count(config, "head_dim", 2**16)
    width = _count(config, "hidden_size", 2**20)
    d_head = width // _count(config, "num_attention_heads")
    return _once("head_dim", config, d_head)


# ---- scaled frequencies, and the attention factor ------------------------------------
def _mscale(factor, strength=1):
    return 0.1 * strength * math.log(factor) + 1 if factor > 1 else 1.0


def _attention(said):
    given = said.get("attention_factor") is not None
    return _number(said, "attention_factor") if given else None


def _linear(said, omega, longest, length):
    return omega / _number(said, "factor"), 1.0


def _dynamic(said, omega, longest, length):
    factor, d = _number(said, "factor"), 2 * len(omega)
    larger = factor * max(length or 0, longest) / longest - (factor - 1)
    return frequencies(d, said["rope_theta"] * larger ** (d / (d - 2))), 1.0


def _llama3(said, omega, longest, length):
    turns = said[FIRST] * omega / (2 * np.pi)
    low, high = _number(said, "low_freq_factor"), _number(said, "high_freq_factor")
    keep = np.clip((turns - low) / (high - low), 0, 1) if high > low else turns >= low
    return omega * (keep + (1 - keep) / _number(said, "factor")), 1.0


def _yarn(said, omega, longest, length):
    if "factor" not in said:
        _number(said, "factor")
    factor = longest / said[FIRST]
    if said["factor"] is not None:
        factor = _number(said, "factor")
    attention, scales = _attention(said), ("mscale", "mscale_all_dim")
    if attention is None and all(said.get(key) for key in scales):
        attention = np.divide(*[_mscale(factor, _number(said, key)) for key in scales])
    elif attention is None:
        attention = _mscale(factor)
    d, keep = 2 * len(omega), {"beta_fast": 32, "beta_slow": 1}  # turns
    keep |= {key: said[key] for key in keep if said.get(key)}
    low, high = (
        d * math.log(said[FIRST] / (2 * math.pi * _number(keep, key)))
        / (2 * math.log(said["rope_theta"]))
        for key in keep
    )  # fmt: skip
    if said.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    high += 0.001 * (low == high)
    slowed = np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
    return omega / factor * slowed + omega * (1 - slowed), attention


def _longrope(said, omega, longest, length):
    first, attention = said[FIRST], _attention(said)
    if first == 1:
        _refuse(FIRST, first, ": its logarithm is 0")
    factor = longest / first
    if said.get("factor") is not None:
        factor = _number(said, "factor")
    if attention is None:
        grown = math.log(factor) / math.log(first) if factor > 1 else 0
        attention = math.sqrt(1 + grown)
    key = "long_factor" if (length or 0) > first else "short_factor"
    for each in ("short_factor", "long_factor"):
        slower = as_floats(f"{each} must be a list of numbers", said.get(each), ndim=1)
        if len(slower) != len(omega) or (slower <= 0).any():
            _refuse(each, said[each], f": must be {len(omega)} numbers > 0")
    return omega / np.array(said[key], dtype=float), attention


SCALED = {"default": lambda said, omega, *lengths: (omega, 1.0),
          "linear": _linear, "proportional": _linear, "dynamic": _dynamic,
          "llama3": _llama3, "yarn": _yarn, "longrope": _longrope}  # fmt: skip
