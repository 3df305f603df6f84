"""One task with LlamaIndex, over OpenAI's chat completions."""

from pathlib import Path

from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel
from tools import edit_file, history, keep, play, run, write_file


class Form(BaseModel):
    city: str
    size: int


def work(task):
    llm = OpenAILike(
        model=task["model"],
        api_base=f"{task['baseUrl']}/v1",
        api_key=task["apiKey"],
        is_chat_model=True,
        is_function_calling_model=True,
        should_use_structured_outputs=True,
    )
    blocks = [TextBlock(text=task["prompt"])]
    if task["image"]:
        blocks.append(ImageBlock(image=Path(task["image"]).read_bytes(), image_mimetype="image/png"))
    said = [*map(ChatMessage.model_validate, history(task)), ChatMessage(role="user", blocks=blocks)]
    if task["structured"]:
        form = llm.as_structured_llm(Form).chat(said).raw
        return {"text": form.model_dump_json(), "data": form.model_dump()}
    wishes = {"stream_options": {"include_usage": True}}
    if task["reasons"]:
        wishes["reasoning_effort"] = "medium"
    tools = [FunctionTool.from_defaults(tool) for tool in (write_file, edit_file)] if task["tools"] else []
    usage = {"input": 0, "output": 0}
    while True:
        if tools:
            parts = llm.stream_chat_with_tools(tools, chat_history=said, allow_parallel_tool_calls=True, **wishes)
        else:
            parts = llm.stream_chat(said, **wishes)
        for part in parts:
            if task["leaves"] and part.delta:
                return {"text": part.delta}
            usage["input"] += part.additional_kwargs.get("prompt_tokens", 0)
            usage["output"] += part.additional_kwargs.get("completion_tokens", 0)
        answer = part.message
        said.append(answer)
        calls = llm.get_tool_calls_from_response(part, error_on_no_tool_call=False)
        if not calls:
            keep(task, [message.model_dump(mode="json") for message in said])
            return {"text": answer.content, "usage": usage}
        for call in calls:
            result = run(call.tool_name, call.tool_kwargs)
            said.append(ChatMessage(role="tool", content=result, additional_kwargs={"tool_call_id": call.tool_id}))


play(work)
