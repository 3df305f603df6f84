import { Controller, Get, NotFoundException, Query } from '@nestjs/common';
import { generationPrefix } from '../openai-chat/told-charge';
import { Bills } from './bills';

/** What OpenRouter tells of single answers, from the books. */
@Controller()
export class GenerationsController {
  constructor(private readonly bills: Bills) {}

  /** https://openrouter.ai/docs/api/api-reference/generations/get-generation */
  @Get('openai-chat/generation')
  generation(@Query('id') id = ''): object {
    const asked = id.startsWith(generationPrefix) ? id.slice(generationPrefix.length) : '';
    const found = this.bills
      .requests('openrouter', 0, Number.MAX_SAFE_INTEGER)
      .find(({ answerId }) => asked !== '' && answerId === asked);
    if (!found) throw new NotFoundException({ error: { code: 404, message: `Generation ${id} not found` } });
    const { model, at, use, charge } = found;
    const picos = Object.values(charge).reduce((sum, picoUsd) => sum + picoUsd, 0n);
    const cost = Number(picos) / 1e12;
    return {
      data: {
        ...{ id, model, created_at: new Date(at).toISOString(), total_cost: cost, usage: cost, is_byok: false },
        ...{ upstream_inference_cost: null, cache_discount: null, provider_name: 'OpenAI' },
        ...{ native_tokens_prompt: use.input + use.cachedInput, native_tokens_completion: use.output },
        native_tokens_cached: use.cachedInput,
      },
    };
  }
}
