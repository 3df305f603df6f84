"""One task with LiteLLM's library, over OpenAI's chat completions."""

import json

import litellm
from tools import FORM, TOOLS, data_url, history, keep, play, run


def work(task):
    content = [{"type": "text", "text": task["prompt"]}]
    if task["image"]:
        content.append({"type": "image_url", "image_url": {"url": data_url(task)}})
    messages = [*history(task), {"role": "user", "content": content}]
    wishes = {}
    if task["tools"]:
        wishes["tools"] = [
            {"type": "function", "function": {"name": name, "description": text, "parameters": schema}} for name, text, schema in TOOLS
        ]
    if task["reasons"]:
        wishes["reasoning_effort"] = "medium"
        wishes["allowed_openai_params"] = ["reasoning_effort"]
    if task["structured"]:
        wishes["response_format"] = {"type": "json_schema", "json_schema": {"name": "form", "schema": FORM, "strict": True}}
    usage = {"input": 0, "output": 0}
    while True:
        chunks = []
        for chunk in litellm.completion(
            model=f"openai/{task['model']}",
            api_base=f"{task['baseUrl']}/v1",
            api_key=task["apiKey"],
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
            **wishes,
        ):
            chunks.append(chunk)
            if task["leaves"] and chunk.choices and chunk.choices[0].delta.content:
                return {"text": chunk.choices[0].delta.content}
        answer = litellm.stream_chunk_builder(chunks, messages=messages)
        usage["input"] += answer.usage.prompt_tokens
        usage["output"] += answer.usage.completion_tokens
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            keep(task, messages)
            return {"text": message.content, "data": json.loads(message.content) if task["structured"] else None, "usage": usage}
        for call in message.tool_calls:
            result = run(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


play(work)
