"""One task with OpenAI's agents library for Python, over responses."""

import asyncio

from agents import Agent, ModelSettings, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from openai.types.shared import Reasoning
from pydantic import BaseModel
from tools import data_url, edit_file, history, keep, play, write_file

set_tracing_disabled(True)


class Form(BaseModel):
    city: str
    size: int


def work(task):
    client = AsyncOpenAI(base_url=f"{task['baseUrl']}/v1", api_key=task["apiKey"])
    settings = ModelSettings(store=False, response_include=["reasoning.encrypted_content"])
    if task["reasons"]:
        settings.reasoning = Reasoning(effort="medium", summary="auto")
    agent = Agent(
        name="gate",
        model=OpenAIResponsesModel(task["model"], openai_client=client),
        tools=[function_tool(write_file), function_tool(edit_file)] if task["tools"] else [],
        output_type=Form if task["structured"] else None,
        model_settings=settings,
    )
    content = [{"type": "input_text", "text": task["prompt"]}]
    if task["image"]:
        content.append({"type": "input_image", "image_url": data_url(task), "detail": "auto"})
    return asyncio.run(talk(agent, task, [*history(task), {"role": "user", "content": content}]))


async def talk(agent, task, said):
    result = Runner.run_streamed(agent, said)
    async for event in result.stream_events():
        is_text = event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
        if task["leaves"] and is_text:
            return {"text": event.data.delta}
    keep(task, result.to_input_list())
    used = result.context_wrapper.usage
    output = result.final_output
    return {
        "text": str(output),
        "data": output.model_dump() if task["structured"] else None,
        "usage": {"input": used.input_tokens, "output": used.output_tokens},
    }


play(work)
