"""One task with OpenAI's client for Python."""

import json

from openai import OpenAI
from tools import FORM, TOOLS, data_url, history, keep, play, run


def chat(client, task):
    content = task["prompt"]
    if task["image"]:
        content = [{"type": "text", "text": content}, {"type": "image_url", "image_url": {"url": data_url(task)}}]
    messages = [*history(task), {"role": "user", "content": content}]
    wishes = {}
    if task["tools"]:
        wishes["tools"] = [
            {"type": "function", "function": {"name": name, "description": text, "parameters": schema, "strict": True}}
            for name, text, schema in TOOLS
        ]
    if task["reasons"]:
        wishes["reasoning_effort"] = "medium"
    if task["structured"]:
        wishes["response_format"] = {"type": "json_schema", "json_schema": {"name": "form", "schema": FORM, "strict": True}}
    usage = {"input": 0, "output": 0}
    while True:
        with client.chat.completions.stream(
            model=task["model"], messages=messages, stream_options={"include_usage": True}, **wishes
        ) as stream:
            for event in stream:
                if task["leaves"] and event.type == "content.delta":
                    return {"text": event.delta}
            completion = stream.get_final_completion()
        usage["input"] += completion.usage.prompt_tokens
        usage["output"] += completion.usage.completion_tokens
        message = completion.choices[0].message
        messages.append(message.model_dump(exclude_none=True, exclude={"parsed": True, "tool_calls": {"__all__": {"function": {"parsed_arguments"}}}}))
        if not message.tool_calls:
            keep(task, messages)
            return {"text": message.content, "data": json.loads(message.content) if task["structured"] else None, "usage": usage}
        for call in message.tool_calls:
            result = run(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def responses(client, task):
    content = [{"type": "input_text", "text": task["prompt"]}]
    if task["image"]:
        content.append({"type": "input_image", "image_url": data_url(task), "detail": "auto"})
    said = [*history(task), {"role": "user", "content": content}]
    wishes = {}
    if task["tools"]:
        wishes["tools"] = [
            {"type": "function", "name": name, "description": text, "parameters": schema, "strict": True}
            for name, text, schema in TOOLS
        ]
    if task["reasons"]:
        wishes["reasoning"] = {"effort": "medium", "summary": "auto"}
    if task["structured"]:
        wishes["text"] = {"format": {"type": "json_schema", "name": "form", "schema": FORM, "strict": True}}
    counted = None
    if task["counts"]:
        counted = client.responses.input_tokens.count(model=task["model"], input=said).input_tokens
    usage = {"input": 0, "output": 0}
    while True:
        with client.responses.stream(
            model=task["model"], input=said, store=False, include=["reasoning.encrypted_content"], **wishes
        ) as stream:
            for event in stream:
                if task["leaves"] and event.type == "response.output_text.delta":
                    return {"text": event.delta}
            response = stream.get_final_response()
        usage["input"] += response.usage.input_tokens
        usage["output"] += response.usage.output_tokens
        for item in response.output:
            said.append(item.model_dump(exclude_none=True, exclude={"parsed_arguments"} | ({"status"} if item.type == "reasoning" else set())))
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            keep(task, said)
            text = response.output_text
            return {"text": text, "data": json.loads(text) if task["structured"] else None, "usage": usage, "counted": counted}
        for call in calls:
            result = run(call.name, json.loads(call.arguments))
            said.append({"type": "function_call_output", "call_id": call.call_id, "output": result})


def work(task):
    client = OpenAI(base_url=f"{task['baseUrl']}/v1", api_key=task["apiKey"])
    return (chat if task["surface"] == "chat" else responses)(client, task)


play(work)
