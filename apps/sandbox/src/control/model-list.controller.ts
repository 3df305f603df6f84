import { BadRequestException, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { z } from 'zod';
import { ModelList, modelChange } from './model-list';

/** The lists of models in the forms of their providers, and the control that changes what stands in them. */
@Controller()
export class ModelListController {
  constructor(private readonly list: ModelList) {}

  /** https://platform.openai.com/docs/api-reference/models/list */
  @Get(['openai-chat/models', 'openai-responses/models'])
  asOpenai(): object {
    const data = this.list.models.map(({ name, createdAt }) => ({
      id: name,
      object: 'model',
      created: createdAt,
      owned_by: 'sandbox',
    }));
    return { object: 'list', data };
  }

  /** https://platform.claude.com/docs/en/api/models */
  @Get('anthropic-messages/models')
  asAnthropic(): object {
    const data = this.list.models.map(({ name, createdAt }) => ({
      type: 'model',
      id: name,
      display_name: name,
      created_at: new Date(createdAt * 1_000).toISOString(),
    }));
    return { data, has_more: false, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
  }

  /** https://ai.google.dev/api/models#method:-models.list */
  @Get('gemini/models')
  asGemini(): object {
    const supportedGenerationMethods = ['generateContent', 'countTokens'];
    return { models: this.list.models.map(({ name }) => ({ name: `models/${name}`, supportedGenerationMethods })) };
  }

  /** https://docs.cohere.com/reference/list-models */
  @Get('cohere/models')
  asCohere(): object {
    const models = this.list.models.map(({ name }) => ({
      ...{ name, endpoints: ['chat'], finetuned: false, is_deprecated: false },
      ...{ context_length: 256_000, default_endpoints: [] },
    }));
    return { models, next_page_token: '' };
  }

  /** Ships, renames and retires models; replies with the names that are listed then. */
  @Post('control/models')
  @HttpCode(200)
  change(@Req() { body }: { body: unknown }): { models: string[] } {
    const change = modelChange.safeParse(parsed(body));
    if (!change.success) throw new BadRequestException(z.prettifyError(change.error));
    this.list.change(change.data);
    return { models: this.list.models.map(({ name }) => name) };
  }
}

function parsed(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
