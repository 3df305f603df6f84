"""One task with pydantic-ai, over OpenAI's chat completions."""

from pathlib import Path

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import NativeOutput
from pydantic_ai.providers.openai import OpenAIProvider
from tools import edit_file, play, write_file


class Form(BaseModel):
    city: str
    size: int


def work(task):
    provider = OpenAIProvider(base_url=f"{task['baseUrl']}/v1", api_key=task["apiKey"])
    agent = Agent(
        OpenAIChatModel(task["model"], provider=provider),
        tools=[write_file, edit_file] if task["tools"] else [],
        output_type=NativeOutput(Form) if task["structured"] else str,
        model_settings={"openai_reasoning_effort": "medium"} if task["reasons"] else None,
    )
    memory = Path(task["memory"])
    before = ModelMessagesTypeAdapter.validate_json(memory.read_bytes()) if task["resumes"] and memory.exists() else None
    prompt = [task["prompt"]]
    if task["image"]:
        prompt.append(BinaryContent(Path(task["image"]).read_bytes(), media_type="image/png"))
    if task["leaves"]:
        return leave(agent, prompt)
    result = agent.run_sync(prompt, message_history=before)
    memory.write_bytes(result.all_messages_json())
    used = result.usage() if callable(result.usage) else result.usage
    output = result.output
    return {
        "text": str(output),
        "data": output.model_dump() if task["structured"] else None,
        "usage": {"input": used.input_tokens, "output": used.output_tokens},
    }


def leave(agent, prompt):
    import asyncio

    async def first():
        async with agent.run_stream(prompt) as stream:
            async for text in stream.stream_text(debounce_by=None):
                return {"text": text}

    return asyncio.run(asyncio.wait_for(first(), 60))


play(work)
