// One task with Anthropic's client for Go, told as the last line.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

type task struct {
	BaseURL    string `json:"baseUrl"`
	APIKey     string `json:"apiKey"`
	Model      string
	Prompt     string
	Image      *string
	Tools      bool
	Reasons    bool
	Structured bool
	Resumes    bool
	Leaves     bool
	Counts     bool
	Memory     string
}

type usage struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

type failure struct {
	Status  *int   `json:"status"`
	Message string `json:"message"`
}

type told struct {
	Text    string   `json:"text"`
	Data    any      `json:"data,omitempty"`
	Usage   *usage   `json:"usage,omitempty"`
	Counted *int64   `json:"counted,omitempty"`
	Error   *failure `json:"error,omitempty"`
}

var texts = map[string]any{"type": "string"}

// A tool that every library is given.
func tool(name, description string, names ...string) anthropic.ToolUnionParam {
	properties := map[string]any{}
	for _, each := range names {
		properties[each] = texts
	}
	return anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
		Name:        name,
		Description: anthropic.String(description),
		InputSchema: anthropic.ToolInputSchemaParam{
			Properties:  properties,
			Required:    names,
			ExtraFields: map[string]any{"additionalProperties": false},
		},
	}}
}

// The form of structured answers.
var form = map[string]any{
	"type":                 "object",
	"properties":           map[string]any{"city": texts, "size": map[string]any{"type": "integer"}},
	"required":             []string{"city", "size"},
	"additionalProperties": false,
}

// Runs a tool in the folder of this process.
func run(name string, given json.RawMessage) (string, error) {
	var input struct{ Path, Content, Old, New string }
	if err := json.Unmarshal(given, &input); err != nil {
		return "", err
	}
	content := input.Content
	if name == "edit_file" {
		before, err := os.ReadFile(input.Path)
		if err != nil {
			return "", err
		}
		content = strings.Replace(string(before), input.Old, input.New, 1)
	}
	return name + " is done", os.WriteFile(input.Path, []byte(content), 0o600)
}

// What was said in an earlier process, and what is said now.
func conversation(asked task) ([]anthropic.MessageParam, error) {
	messages := []anthropic.MessageParam{}
	if before, err := os.ReadFile(asked.Memory); asked.Resumes && err == nil {
		if err := json.Unmarshal(before, &messages); err != nil {
			return nil, err
		}
	}
	blocks := []anthropic.ContentBlockParamUnion{}
	if asked.Image != nil {
		picture, err := os.ReadFile(*asked.Image)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(picture)))
	}
	return append(messages, anthropic.NewUserMessage(append(blocks, anthropic.NewTextBlock(asked.Prompt))...)), nil
}

// Reads one answer to its end, or leaves when it has begun.
func answer(client anthropic.Client, asked task, params anthropic.MessageNewParams) (anthropic.Message, error) {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	message := anthropic.Message{}
	stream := client.Messages.NewStreaming(ctx, params)
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return message, err
		}
		if asked.Leaves && event.Type == "content_block_delta" {
			leave()
		}
	}
	return message, stream.Err()
}

func play(asked task) (*told, error) {
	client := anthropic.NewClient(option.WithBaseURL(asked.BaseURL), option.WithAPIKey(asked.APIKey))
	messages, err := conversation(asked)
	if err != nil {
		return nil, err
	}
	said := &told{Usage: &usage{}}
	if asked.Counts {
		params := anthropic.MessageCountTokensParams{Model: anthropic.Model(asked.Model), Messages: messages}
		counted, err := client.Messages.CountTokens(context.Background(), params)
		if err != nil {
			return nil, err
		}
		said.Counted = &counted.InputTokens
	}
	for {
		params := anthropic.MessageNewParams{Model: anthropic.Model(asked.Model), MaxTokens: 4_000, Messages: messages}
		if asked.Tools {
			params.Tools = []anthropic.ToolUnionParam{
				tool("write_file", "Writes a file", "path", "content"),
				tool("edit_file", "Replaces a text in a file", "path", "old", "new"),
			}
		}
		if asked.Reasons {
			params.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}}
		}
		if asked.Structured {
			params.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: form}}
		}
		message, err := answer(client, asked, params)
		if err != nil {
			return nil, err
		}
		used := message.Usage
		said.Usage.Input += used.InputTokens + used.CacheReadInputTokens + used.CacheCreationInputTokens
		said.Usage.Output += used.OutputTokens
		messages = append(messages, message.ToParam())
		results := []anthropic.ContentBlockParamUnion{}
		for _, block := range message.Content {
			switch block.Type {
			case "text":
				said.Text += block.Text
			case "tool_use":
				result, err := run(block.Name, block.Input)
				if err != nil {
					return nil, err
				}
				results = append(results, anthropic.NewToolResultBlock(block.ID, result, false))
			}
		}
		if len(results) > 0 {
			said.Text = ""
			messages = append(messages, anthropic.NewUserMessage(results...))
			continue
		}
		if asked.Structured {
			if err := json.Unmarshal([]byte(said.Text), &said.Data); err != nil {
				return nil, err
			}
		}
		kept, err := json.Marshal(messages)
		if err != nil {
			return nil, err
		}
		return said, os.WriteFile(asked.Memory, kept, 0o600)
	}
}

func main() {
	var asked task
	if err := json.Unmarshal([]byte(os.Args[1]), &asked); err != nil {
		panic(err)
	}
	said, err := play(asked)
	if err != nil {
		said = &told{Error: &failure{Message: err.Error()}}
		var refused *anthropic.Error
		if errors.As(err, &refused) {
			said.Error.Status = &refused.StatusCode
		}
	}
	line, err := json.Marshal(said)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}
