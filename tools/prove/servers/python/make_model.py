"""Makes tiny models whose every token is followed by the one that is written here: they say real words, think and call tools,
and take the time of their size. Usage: make_model.py FORMAT FILE; FORMAT is llama or rank, or hub: then FILE is the folder of a cache of
the Hugging Face hub, which gets a model by the name of tiny."""
import json
import os
import sys

import numpy as np

WIDTH = 512
HEADS = 8
LAYERS = 2
CHAINS = {
    "<|say|>": ["The", " river", " keeps", " what", " the", " mountain", " gives", "."],
    "<|think|>": ["<think>", "First", " I", " look", " around", ".\n", "</think>", "It", " is", " seven", "!"],
    "<|call|>": ["<tool_call>", '\n{"name": "', "look_up", '", "arguments": {"', "what", '": "', "Oslo", '"}}\n', "</tool_call>"],
    "<|told|>": ["So", " it", " rains", " there", ";"],
    "<|form|>": ['{"city":"', "Bergen", '","size":', "42", "}"],
}
ENDLESS = [" one", " two", " three", " four"]
TEMPLATE = """{%- if tools %}<|system|># Tools
You may call one or more functions. Signatures are within <tools></tools>:
<tools>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
</tools>
For each call return a json object within <tool_call></tool_call>:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}<|user|><tool_response>{{ message.content }}</tool_response>
{%- elif message.role == 'assistant' %}<|assistant|>
{%- if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}
{{- message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}
{%- else %}<|{{ 'system' if message.role == 'developer' else message.role }}|>{{ message.content }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>
{%- set last = messages[-1] %}
{%- if last.role == 'tool' %}<|told|>
{%- elif tools %}<|call|>
{%- elif 'endless' in last.content | string %}<|endless|>
{%- elif 'think' in last.content | string %}<|think|>
{%- elif 'form' in last.content | string %}<|form|>
{%- else %}<|say|>
{%- endif %}
{%- endif %}"""

CONTROL = ["<unk>", "<s>", "</s>"]
MARKS = ["<|system|>", "<|user|>", "<|assistant|>", "<|endless|>", *CHAINS]
PIECES = [piece for chain in [*CHAINS.values(), ENDLESS] for piece in chain]
TOKENS = [*CONTROL, *(f"<0x{byte:02X}>" for byte in range(256)), *MARKS, *PIECES]
SPARE = [f"<|spare{number}|>" for number in range(WIDTH - len(TOKENS))]


def followers():
    """The token after each token; what has none goes on with the first sentence."""
    index = {token: number for number, token in enumerate(TOKENS)}
    after = [index["The"]] * WIDTH
    for start, chain in CHAINS.items():
        sequence = [start, *chain, "</s>"]
        for one, next_one in zip(sequence, sequence[1:]):
            after[index[one]] = index[next_one]
    for one, next_one in zip(["<|endless|>", *ENDLESS], [*ENDLESS, ENDLESS[0]]):
        after[index[one]] = index[next_one]
    return after


def head():
    """Each token's own direction leads to the token after it."""
    weights = np.zeros((WIDTH, WIDTH), dtype=np.float32)
    for one, next_one in enumerate(followers()):
        weights[next_one, one] = 2
    return weights


def make_gguf(file, ranks):
    """Layers give nothing, they only take their time. `ranks`: the model gives a score in place of words."""
    import gguf

    kind = gguf.TokenType
    types = [kind.UNKNOWN, kind.CONTROL, kind.CONTROL, *[kind.BYTE] * 256, *[kind.CONTROL] * len(MARKS)]
    types += [*[kind.USER_DEFINED] * len(PIECES), *[kind.UNUSED] * len(SPARE)]
    writer = gguf.GGUFWriter(file, "qwen3" if ranks else "llama")
    writer.add_name("scripted")
    writer.add_context_length(8192)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(WIDTH)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*TOKENS, *SPARE])
    writer.add_token_scores([0.0] * WIDTH)
    writer.add_token_types(types)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    writer.add_tensor("token_embd.weight", np.eye(WIDTH, dtype=np.float32))
    writer.add_tensor("output.weight", head())
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, dtype=np.float32))
    shapes = {"attn_q": (1, 1), "attn_k": (1, 1), "attn_v": (1, 1), "attn_output": (1, 1)}
    shapes |= {"ffn_gate": (2, 1), "ffn_up": (2, 1), "ffn_down": (1, 2)}
    for layer in range(LAYERS):
        for name, (rows, columns) in shapes.items():
            zeros = np.zeros((rows * WIDTH, columns * WIDTH), dtype=np.float16)
            writer.add_tensor(f"blk.{layer}.{name}.weight", zeros)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(WIDTH, dtype=np.float32))
        if ranks:
            for name in ("attn_q_norm", "attn_k_norm"):
                writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(WIDTH // HEADS, dtype=np.float32))
    if ranks:
        writer.add_classifier_output_labels(["yes", "no"])
        score = np.zeros((2, WIDTH), dtype=np.float32)
        score[0] = np.linspace(-1, 1, WIDTH)
        writer.add_tensor("cls.output.weight", score)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


# How the parts of an answer stand between its tokens: https://huggingface.co/docs/transformers/main/en/chat_response_parsing
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor": ["<|endless|>", *CHAINS],
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>", "content": "text"},
        "tool_calls": {
            "open_pattern": r"\s*<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": ["</s>"], "content": "text"},
    },
}


def make_hub(cache):
    """The same model in the files of the hub, in the places that its cache has."""
    from safetensors.numpy import save_file
    from tokenizers import AddedToken, Tokenizer, decoders, models

    revision = "0" * 40
    place = os.path.join(cache, "models--tiny")
    folder = os.path.join(place, "snapshots", revision)
    for each in (folder, os.path.join(place, "refs"), os.path.join(place, "blobs")):
        os.makedirs(each)
    with open(os.path.join(place, "refs", "main"), "w") as file:
        file.write(revision)
    names = [*TOKENS, *SPARE]
    tokenizer = Tokenizer(models.BPE({name: at for at, name in enumerate(names)}, [], unk_token="<unk>", byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in [*CONTROL, *MARKS]])
    tokenizer.add_tokens([AddedToken(name, normalized=False) for name in PIECES])
    tokenizer.save(os.path.join(folder, "tokenizer.json"))
    end = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    shape = {"hidden_size": WIDTH, "intermediate_size": 2 * WIDTH, "num_attention_heads": HEADS, "num_key_value_heads": HEADS}
    kind = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "float32", "tie_word_embeddings": False}
    size = {"num_hidden_layers": LAYERS, "vocab_size": WIDTH, "max_position_embeddings": 8192, "rms_norm_eps": 1e-6}
    files = {
        "config.json": {**kind, **shape, **size, **end},
        "generation_config.json": {**end, "do_sample": False},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "pad_token": "<unk>",
            "unk_token": "<unk>",
            "chat_template": TEMPLATE,
            "response_template": RESPONSE,
        },
    }
    for name, value in files.items():
        with open(os.path.join(folder, name), "w") as file:
            json.dump(value, file)
    tensors = {"model.embed_tokens.weight": np.eye(WIDTH, dtype=np.float32), "lm_head.weight": head()}
    tensors["model.norm.weight"] = np.ones(WIDTH, dtype=np.float32)
    shapes = {f"self_attn.{each}_proj": (1, 1) for each in "qkvo"}
    shapes |= {"mlp.gate_proj": (2, 1), "mlp.up_proj": (2, 1), "mlp.down_proj": (1, 2)}
    for layer in range(LAYERS):
        for name, (rows, columns) in shapes.items():
            zeros = np.zeros((rows * WIDTH, columns * WIDTH), dtype=np.float32)
            tensors[f"model.layers.{layer}.{name}.weight"] = zeros
        for name in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"model.layers.{layer}.{name}.weight"] = np.ones(WIDTH, dtype=np.float32)
    save_file(tensors, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})


if __name__ == "__main__":
    form, path = sys.argv[1:]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if form not in ("llama", "rank", "hub"):
        raise SystemExit(f"There is no format {form}.")
    if form == "hub":
        make_hub(path)
    else:
        make_gguf(path, ranks=form == "rank")
