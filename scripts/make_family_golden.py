#!/usr/bin/env python3
"""Writes tests/golden/rope_frequencies.json and tests/golden/families/NAME.json: the logits of one tiny random network of every family by Hugging Face
transformers, in float32, for tests/models/family_golden_test.cpp. Needs: pip install torch transformers gguf.

Of an encoder it is the tokens' vectors, and two vectors of the text: their mean and the first, both of length 1.

    make_family_golden.py                                  all of them, or those named
    make_family_golden.py --convert LLAMA_CPP OUT [NAME]   also each network as OUT/NAME.gguf by llama.cpp's own converter
                                                           (a folder of its sources); the test reads OUT where
                                                           KELDA_FAMILY_GGUFS names it

A weight is a function of (seed, tensor name, index), the same one as in tests/models/formula_weights.h, in the layout of the
GGUF file; here it is brought into the layout of transformers. So a golden file holds no weights, only what was asked and
what came out.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import torch
import transformers

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden/families"
VOCAB = 300


# ---- the weights' formula

def philox(counter, key):
    """Philox4x32-10 on arrays of uint64 that hold 32 bits each."""
    c, k, low = list(counter), list(key), np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [p1 >> np.uint64(32) ^ c[1] ^ k[0], p1 & low, p0 >> np.uint64(32) ^ c[3] ^ k[1], p0 & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
    return c


def uniform(seed, stream, n, draw):
    zeros = np.zeros(n, np.uint64)
    counter = [np.arange(n, dtype=np.uint64), zeros + np.uint64(stream), zeros + np.uint64(draw), zeros]
    r = philox(counter, [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)])
    return (((r[0] << np.uint64(32)) | r[1]) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def weight(seed, name, shape):
    """Matrices: 1.5 / sqrt(columns) × normal. Vectors: 0.1 × normal, and 1 more where they are a weight."""
    stream, n = zlib.crc32(name.encode()), math.prod(shape)
    u, v = 1.0 - uniform(seed, stream, n, 0), uniform(seed, stream, n, 1)
    normal = np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)
    if len(shape) > 1:
        values = 1.5 / math.sqrt(shape[-1]) * normal
    else:
        values = 0.1 * normal + (1.0 if name.endswith(".weight") else 0.0)
    return values.astype(np.float32).reshape(shape)


# ---- from GGUF's names and layouts to those of transformers

NAMES = [
    ("model.embed_tokens", "token_embd"), ("transformer.wte", "token_embd"), ("transformer.wpe", "position_embd"),
    ("model.norm", "output_norm"), ("transformer.ln_f", "output_norm"), ("lm_head", "output"),
    ("self_attn.q_proj", "attn_q"), ("self_attn.k_proj", "attn_k"), ("self_attn.v_proj", "attn_v"),
    ("self_attn.qkv_proj", "attn_qkv"), ("self_attn.o_proj", "attn_output"), ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_norm", "attn_k_norm"), ("input_layernorm", "attn_norm"), ("post_attention_layernorm", "ffn_norm"),
    ("mlp.gate_proj", "ffn_gate"), ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down"), ("mlp.gate_up_proj", "ffn_up"),
    ("mlp.gate", "ffn_gate_inp"), ("mlp.shared_expert_gate", "ffn_gate_inp_shexp"),
    ("mlp.shared_expert.gate_proj", "ffn_gate_shexp"), ("mlp.shared_expert.up_proj", "ffn_up_shexp"),
    ("mlp.shared_expert.down_proj", "ffn_down_shexp"), ("ln_1", "attn_norm"), ("ln_2", "ffn_norm"), ("attn.c_attn", "attn_qkv"),
    ("attn.c_proj", "attn_output"), ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down"),
]
BERT_NAMES = [
    ("embeddings.word_embeddings", "token_embd"), ("embeddings.position_embeddings", "position_embd"),
    ("embeddings.token_type_embeddings", "token_types"), ("embeddings.LayerNorm", "token_embd_norm"),
    ("attention.self.query", "attn_q"), ("attention.self.key", "attn_k"), ("attention.self.value", "attn_v"),
    ("attention.output.dense", "attn_output"), ("attention.output.LayerNorm", "attn_output_norm"),
    ("intermediate.dense", "ffn_up"), ("output.dense", "ffn_down"), ("output.LayerNorm", "layer_output_norm"),
]
GEMMA_NAMES = [
    ("post_attention_layernorm", "post_attention_norm"), ("pre_feedforward_layernorm", "ffn_norm"),
    ("post_feedforward_layernorm", "post_ffw_norm"),
]


def gguf_name(name, arch):
    names = dict(BERT_NAMES if arch == "bert" else NAMES + GEMMA_NAMES if arch.startswith("gemma") else NAMES)
    part, kind = name.rsplit(".", 1)
    for prefix in ("model.layers.", "transformer.h.", "encoder.layer."):
        if part.startswith(prefix):
            layer, part = part[len(prefix):].split(".", 1)
            return f"blk.{layer}.{names[part]}.{kind}"
    return f"{names[part]}.{kind}"


def neighbours_to_halves(w, n_heads):
    """Llama's files hold rotated pairs side by side, transformers half a head apart."""
    return w.reshape(n_heads, -1, 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def of_experts(name, part, target, n):
    """Folders have a tensor for each expert."""
    prefix = name[:name.index("experts.") + len("experts.")]
    return {f"{prefix}{e}.{part}_proj.weight": [target, "", e] for e in range(n)}


def fill(model, case):
    """Gives the model its weights. Returns {name in the GGUF file: shape} and what its own folder stores:
    {name: [name in the GGUF file, how its layout differs, which expert]}."""
    config, seed, shapes, state, stored = model.config, case["seed"], {}, {}, {}
    llama, gemma, gpt2 = (case["arch"].startswith(x) for x in ("llama", "gemma", "gpt2"))

    def make(name, shape):
        shapes[name] = list(shape)
        return weight(seed, name, shape)

    for name, parameter in model.named_parameters():
        shape = tuple(parameter.shape)
        if name.endswith("experts.gate_up_proj"):
            block = f"blk.{name.split('.')[2]}."
            half = (shape[0], shape[1] // 2, shape[2])
            w = np.concatenate([make(f"{block}ffn_{x}_exps.weight", half) for x in ("gate", "up")], axis=1)
            for x in ("gate", "up"):
                stored |= of_experts(name, x, f"{block}ffn_{x}_exps.weight", shape[0])
        elif name.endswith("experts.down_proj"):
            w = make(f"blk.{name.split('.')[2]}.ffn_down_exps.weight", shape)
            stored |= of_experts(name, "down", f"blk.{name.split('.')[2]}.ffn_down_exps.weight", shape[0])
        else:
            target = gguf_name(name, case["arch"])
            transposed = gpt2 and len(shape) == 2 and ".c_" in name
            w = make(target, shape[::-1] if transposed else shape)
            w = w.T if transposed else w
            how = "transposed" if transposed else ""
            if llama and (".attn_q." in target or ".attn_k." in target):
                w = neighbours_to_halves(w, config.num_attention_heads if ".attn_q." in target else config.num_key_value_heads)
                how = "halves"
            if gemma and target.endswith("norm.weight"):
                w = w - np.float32(1)
                how = "minus_one"
            stored[name] = [target, how, -1]
        state[name] = torch.from_numpy(np.ascontiguousarray(w))
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and all(m == "lm_head.weight" or "rotary" in m for m in missing), (missing, unexpected)
    model.tie_weights()
    return shapes, stored


# ---- the networks

def sizes(layers=2, head_dim=16, **more):
    return dict(vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=layers, num_attention_heads=4,
                num_key_value_heads=2, head_dim=head_dim, max_position_embeddings=256, rms_norm_eps=1e-5, bos_token_id=0,
                eos_token_id=1, pad_token_id=2, attn_implementation="eager", **more)


def rope(theta=10000.0, **more):
    return dict(rope_parameters={"rope_theta": theta, "rope_type": more.pop("rope_type", "default"), **more})


def llama3_factors(head_dim, theta, factor, low, high, context):
    out = []
    for i in range(0, head_dim, 2):
        wavelength = 2 * math.pi * theta ** (i / head_dim)
        smooth = min(max((context / wavelength - low) / (high - low), 0.0), 1.0)
        out.append(1 / ((1 - smooth) / factor + smooth))
    return [float(np.float32(x)) for x in out]


def cases():
    t = transformers
    llama3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
    yarn = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64)
    long = [round(1 + 0.37 * i, 2) for i in range(12)]
    short = [round(1 + 0.05 * i, 2) for i in range(12)]
    longrope = dict(rope_type="longrope", long_factor=long, short_factor=short, partial_rotary_factor=0.75)
    phi = {k: v for k, v in sizes(head_dim=32).items() if k != "head_dim"} | dict(hidden_size=128)
    factors = {"rope_factors_long.weight": long, "rope_factors_short.weight": short}
    untied = dict(tie_word_embeddings=False)
    gemma3_rope = {"full_attention": {"rope_theta": 1e6, "rope_type": "linear", "factor": 8.0},
                   "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}}
    experts = dict(num_experts=8, num_experts_per_tok=3, moe_intermediate_size=48, norm_topk_prob=True, decoder_sparse_step=1)

    yield "llama", "llama", t.LlamaConfig(**sizes(), **untied, **rope()), 40, {}, {}
    yield "llama_biases", "llama", t.LlamaConfig(**sizes(attention_bias=True), **rope()), 40, {}, {}
    yield ("llama_rope_llama3", "llama", t.LlamaConfig(**sizes(head_dim=32), **rope(500000.0, **llama3)), 120, {},
           {"rope_freqs.weight": llama3_factors(32, 500000.0, 8.0, 1.0, 4.0, 64)})
    yield ("llama_rope_linear", "llama", t.LlamaConfig(**sizes(), **rope(rope_type="linear", factor=4.0)), 60,
           {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}, {})
    yield ("llama_rope_yarn", "llama", t.LlamaConfig(**sizes(head_dim=32), **rope(**yarn)), 120,
           {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 64}, {})
    yield ("mistral_window", "llama", t.MistralConfig(**sizes(sliding_window=16), **untied, **rope()), 60,
           {"attention.sliding_window": 16}, {})
    yield "qwen2", "qwen2", t.Qwen2Config(**sizes(tie_word_embeddings=True), **rope(1e6)), 40, {}, {}
    yield "qwen3", "qwen3", t.Qwen3Config(**sizes(head_dim=32), **untied, **rope(1e6)), 40, {}, {}
    yield ("qwen3moe", "qwen3moe", t.Qwen3MoeConfig(**sizes(head_dim=32), **experts, **untied, **rope(1e6)), 40,
           {"expert_count": 8, "expert_used_count": 3, "expert_feed_forward_length": 48}, {})
    yield ("gemma2", "gemma2", t.Gemma2Config(**sizes(layers=4, sliding_window=16, attn_logit_softcapping=2.0,
           final_logit_softcapping=3.0, query_pre_attn_scalar=16), **rope()), 60,
           {"attention.sliding_window": 16, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}, {})
    yield ("gemma3", "gemma3", t.Gemma3TextConfig(**sizes(layers=7, sliding_window=16, query_pre_attn_scalar=16),
           rope_parameters=gemma3_rope), 60,
           {"attention.sliding_window": 16, "rope.scaling.type": "linear", "rope.scaling.factor": 8.0}, {})
    yield ("phi3", "phi3", t.Phi3Config(**phi, sliding_window=24, original_max_position_embeddings=256, **untied, **rope()), 60,
           {"attention.sliding_window": 24, "rope.scaling.original_context_length": 256}, {})
    yield ("phi3_long", "phi3", t.Phi3Config(**phi, original_max_position_embeddings=64, **untied,
           **rope(**longrope, original_max_position_embeddings=64)), 120,
           {"rope.scaling.original_context_length": 64, "rope.dimension_count": 24,
            "rope.scaling.attn_factor": math.sqrt(1 + math.log(4) / math.log(64))}, factors)
    yield ("phi3_short", "phi3", t.Phi3Config(**phi, original_max_position_embeddings=256, **untied,
           **rope(**longrope, original_max_position_embeddings=256)), 120,
           {"rope.scaling.original_context_length": 256, "rope.dimension_count": 24, "rope.scaling.attn_factor": 1.0}, factors)
    yield ("gpt2", "gpt2", t.GPT2Config(vocab_size=VOCAB, n_positions=256, n_ctx=256, n_embd=64, n_layer=2, n_head=4, n_inner=256,
           bos_token_id=0, eos_token_id=1, attn_implementation="eager"), 40, {}, {})
    yield ("bert", "bert", t.BertConfig(vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=3,
           num_attention_heads=4, max_position_embeddings=256, type_vocab_size=2, layer_norm_eps=1e-12, pad_token_id=2,
           attn_implementation="eager"), 70, {"attention.causal": False}, {})
    yield ("qwen2moe", "qwen2moe", t.Qwen2MoeConfig(**sizes(), num_experts=8, num_experts_per_tok=3, moe_intermediate_size=48,
           shared_expert_intermediate_size=80, norm_topk_prob=False, **untied, **rope(1e6)), 40,
           {"expert_count": 8, "expert_used_count": 3, "expert_feed_forward_length": 48, "expert_shared_feed_forward_length": 80}, {})


def metadata(arch, config, special):
    if arch == "gpt2":
        keys = {"block_count": config.n_layer, "context_length": config.n_positions, "embedding_length": config.n_embd,
                "feed_forward_length": config.n_inner, "attention.head_count": config.n_head,
                "attention.layer_norm_epsilon": config.layer_norm_epsilon}
    elif arch == "bert":
        keys = {"block_count": config.num_hidden_layers, "context_length": config.max_position_embeddings,
                "embedding_length": config.hidden_size, "feed_forward_length": config.intermediate_size,
                "attention.head_count": config.num_attention_heads, "attention.layer_norm_epsilon": config.layer_norm_eps}
    else:
        parameters = config.rope_parameters.get("full_attention", config.rope_parameters)
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        keys = {"block_count": config.num_hidden_layers, "context_length": config.max_position_embeddings,
                "embedding_length": config.hidden_size, "feed_forward_length": config.intermediate_size,
                "attention.head_count": config.num_attention_heads, "attention.head_count_kv": config.num_key_value_heads,
                "attention.key_length": head_dim, "attention.value_length": head_dim,
                "attention.layer_norm_rms_epsilon": config.rms_norm_eps, "rope.freq_base": float(parameters["rope_theta"])}
    more = {"tokenizer.ggml.token_type_count": config.type_vocab_size} if arch == "bert" else {}
    return {f"{arch}.{k}": v for k, v in (keys | {"vocab_size": VOCAB} | special).items()} | more


# ---- making them

def ask(model, n_tokens, seed):
    ids = np.random.default_rng(seed).integers(3, VOCAB, n_tokens)
    with torch.no_grad():
        answer = model(torch.tensor(ids)[None])
    more, logits = {}, answer.get("logits")
    if logits is None:
        logits = answer.last_hidden_state
        vectors = {"mean": logits[0].double().mean(0), "cls": logits[0, 0].double()}
        more = {"vectors": {k: [round(x, 8) for x in (v / v.norm()).tolist()] for k, v in vectors.items()}}
    logits = logits[0].double()
    positions = sorted({0, 1, n_tokens // 3, n_tokens // 2, n_tokens - 2, n_tokens - 1})
    top = []
    for p in positions:
        values, best = logits[p].topk(8)
        top.append({"pos": p, "ids": best.tolist(), "logits": [round(x, 6) for x in values.tolist()]})
    mean = [round(x, 6) for x in logits.mean(1).tolist()]
    size = [round(x, 6) for x in logits.abs().mean(1).tolist()]
    return {"ids": ids.tolist(), "top": top, "mean": mean, "mean_abs": size, **more}


# The converter's tokenizers are of no interest here: the vocabulary is numbers.
CONVERT = """
import runpy, sys
llama_cpp, folder, out, architecture = sys.argv[1:]
sys.path[:0] = [llama_cpp, llama_cpp + "/gguf-py"]
from conversion import get_model_class

def set_vocab(self):
    self.gguf_writer.add_token_list([str(i) for i in range(self.hparams["vocab_size"])])
    if "type_vocab_size" in self.hparams:
        self.gguf_writer.add_token_type_count(self.hparams["type_vocab_size"])

get_model_class(architecture).set_vocab = set_vocab
sys.argv = ["convert", folder, "--outtype", "f32", "--outfile", out]
runpy.run_path(llama_cpp + "/convert_hf_to_gguf.py", run_name="__main__")
"""


def rope_frequencies():
    """What transformers' own rope functions give, for tests/models/rotary_test.cpp."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    kinds = {
        "linear": dict(rope_type="linear", rope_theta=10000.0, factor=4.0),
        "llama3": dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                       original_max_position_embeddings=8192),
        "yarn": dict(rope_type="yarn", rope_theta=1e6, factor=4.0, original_max_position_embeddings=32768),
        "yarn_betas": dict(rope_type="yarn", rope_theta=10000.0, factor=16.0, original_max_position_embeddings=4096,
                           beta_fast=16.0, beta_slow=2.0, attention_factor=1.5),
    }
    out = {"oracle": f"transformers {transformers.__version__}", "head_dim": 128, "cases": []}
    for name, parameters in kinds.items():
        config = transformers.LlamaConfig(hidden_size=512, num_attention_heads=4, head_dim=128, max_position_embeddings=131072,
                                          rope_parameters=dict(parameters))
        frequencies, magnitude = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, "cpu")
        out["cases"].append({"name": name, **parameters, "frequencies": [float(f) for f in frequencies], "magnitude": magnitude})
    return out


def saved_config(model):
    """The config.json of the model's folder."""
    with tempfile.TemporaryDirectory() as folder:
        model.config.architectures = [type(model).__name__]
        model.config.save_pretrained(folder)
        return json.loads((Path(folder) / "config.json").read_text())


def convert(model, name, llama_cpp, out):
    folder = Path(out) / f"{name}.hf"
    model.save_pretrained(folder)
    vocabulary = {"model": {"vocab": {str(i): i for i in range(VOCAB)}}, "added_tokens": []}
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
    command = [sys.executable, "-c", CONVERT, str(llama_cpp), str(folder), f"{out}/{name}.gguf", model.config.architectures[0]]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--convert", nargs=2, metavar=("LLAMA_CPP", "OUT"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    GOLDEN.mkdir(exist_ok=True)
    (GOLDEN.parent / "rope_frequencies.json").write_text(json.dumps(rope_frequencies(), separators=(",", ":")) + "\n")
    for seed, (name, arch, config, n_tokens, special, values) in enumerate(cases(), 1):
        if options.names and name not in options.names:
            continue
        case = {"arch": arch, "seed": seed}
        if arch == "bert":
            model = transformers.BertModel(config, add_pooling_layer=False).float().eval()
        else:
            model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        shapes, stored = fill(model, case)
        shapes |= {k: [len(v)] for k, v in values.items()}
        golden = {"oracle": f"transformers {transformers.__version__}, torch {torch.__version__}", **case,
                  "metadata": metadata(arch, config, special), "tensors": shapes, "values": values, **ask(model, n_tokens, seed),
                  "config": saved_config(model), "stored": stored}
        (GOLDEN / f"{name}.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
        print(name, config.model_type, f"{n_tokens} tokens", flush=True)
        if options.convert:
            convert(model, name, *options.convert)


if __name__ == "__main__":
    main()
