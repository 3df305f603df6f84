"""One task with Anthropic's client for Python."""

import json

from anthropic import Anthropic
from tools import FORM, TOOLS, history, keep, picture, play, run


def work(task):
    client = Anthropic(base_url=task["baseUrl"], api_key=task["apiKey"])
    content = [{"type": "text", "text": task["prompt"]}]
    if task["image"]:
        content.insert(0, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture(task)}})
    messages = [*history(task), {"role": "user", "content": content}]
    wishes = {}
    if task["tools"]:
        wishes["tools"] = [{"name": name, "description": text, "input_schema": schema} for name, text, schema in TOOLS]
    if task["reasons"]:
        wishes["thinking"] = {"type": "adaptive"}
    if task["structured"]:
        wishes["output_config"] = {"format": {"type": "json_schema", "schema": FORM}}
    counted = None
    if task["counts"]:
        counted = client.messages.count_tokens(model=task["model"], messages=messages).input_tokens
    usage = {"input": 0, "output": 0}
    while True:
        with client.messages.stream(model=task["model"], max_tokens=4000, messages=messages, **wishes) as stream:
            for text in stream.text_stream:
                if task["leaves"]:
                    return {"text": text}
            message = stream.get_final_message()
        used = message.usage
        usage["input"] += used.input_tokens + (used.cache_read_input_tokens or 0) + (used.cache_creation_input_tokens or 0)
        usage["output"] += used.output_tokens
        blocks = [block.model_dump(exclude_none=True, exclude={"parsed_output"}) for block in message.content]
        messages.append({"role": "assistant", "content": blocks})
        uses = [block for block in message.content if block.type == "tool_use"]
        if not uses:
            keep(task, messages)
            text = "".join(block.text for block in message.content if block.type == "text")
            return {"text": text, "data": json.loads(text) if task["structured"] else None, "usage": usage, "counted": counted}
        results = [{"type": "tool_result", "tool_use_id": use.id, "content": run(use.name, use.input)} for use in uses]
        messages.append({"role": "user", "content": results})


play(work)
