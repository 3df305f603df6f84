"""One task with LangChain for Python, over OpenAI's chat completions or Anthropic's messages."""

from langchain_core.messages import HumanMessage, ToolMessage, messages_from_dict, messages_to_dict
from langchain_core.tools import tool
from tools import FORM, data_url, edit_file, history, keep, play, run, write_file


def model_of(task):
    if task["surface"] == "chat":
        from langchain_openai import ChatOpenAI

        wishes = {"reasoning_effort": "medium"} if task["reasons"] else {}
        address = {"base_url": f"{task['baseUrl']}/v1", "stream_usage": True, "use_responses_api": False}
        return ChatOpenAI(model=task["model"], api_key=task["apiKey"], **address, **wishes)
    from langchain_anthropic import ChatAnthropic

    wishes = {"thinking": {"type": "adaptive"}} if task["reasons"] else {}
    return ChatAnthropic(model=task["model"], api_key=task["apiKey"], base_url=task["baseUrl"], max_tokens=4000, **wishes)


def work(task):
    model = model_of(task)
    content = [{"type": "text", "text": task["prompt"]}]
    if task["image"]:
        content.append({"type": "image_url", "image_url": {"url": data_url(task)}})
    said = [*messages_from_dict(history(task)), HumanMessage(content)]
    if task["structured"]:
        form = {"title": "form", "description": "A form", **FORM}
        told = model.with_structured_output(form, method="json_schema", include_raw=True).invoke(said)
        return {"text": told["raw"].text, "data": told["parsed"], "usage": used([told["raw"]])}
    bound = model.bind_tools([tool(write_file), tool(edit_file)]) if task["tools"] else model
    answers = []
    while True:
        answer = None
        for chunk in bound.stream(said):
            answer = chunk if answer is None else answer + chunk
            if task["leaves"] and chunk.text:
                return {"text": chunk.text}
        answers.append(answer)
        said.append(answer)
        if not answer.tool_calls:
            keep(task, messages_to_dict(said))
            return {"text": answer.text, "usage": used(answers)}
        for call in answer.tool_calls:
            said.append(ToolMessage(run(call["name"], call["args"]), tool_call_id=call["id"]))


def used(answers):
    all_usage = [answer.usage_metadata for answer in answers]
    return {field: sum(usage[f"{field}_tokens"] for usage in all_usage) for field in ("input", "output")}


play(work)
