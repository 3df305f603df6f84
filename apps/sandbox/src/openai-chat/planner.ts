import { Injectable } from '@nestjs/common';
import { openaiChatSurface } from '@tollgate/dialects/surface';
import type { Behaviour } from '../behaviour/behaviour';
import { controlsInText, readBehaviour, splitModel, withoutControls } from '../behaviour/read-behaviour';
import { writeAnswer } from './answer';
import type { AnswerChoice } from './answer';
import { lastUserText } from './last-user-text';
import { renderCompletionTail } from './render';
import { readChatRequest } from './request';
import { RequestError } from './request-error';
import type { ChatRequest } from './request';

/** Everything that is decided before the first byte of an answer. */
export interface Plan {
  request: ChatRequest;
  /** The model's name without controls. */
  model: string;
  behaviour: Behaviour;
  inputTokens: number;
  outputTokens: number;
  choices: readonly AnswerChoice[];
  /** What a plain answer holds behind its id and time. */
  completionTail: string;
}

/** Load tests send the same body over and over; only short ones are kept. */
const cachedPlans = 1_000;
const cachedBodyBytes = 16 * 1024;

/** Turns request bodies into plans; the same body gives the same plan without being read again. */
@Injectable()
export class Planner {
  private readonly plans = new Map<string, Plan>();

  constructor(private readonly defaults: Behaviour) {}

  /** `headerControls` are the controls in the request's headers. @throws RequestError for a 400, ControlError for a control that is unknown. */
  plan(body: Buffer, headerControls: string): Plan {
    if (headerControls !== '' || body.length > cachedBodyBytes) return this.make(body.toString('utf8'), headerControls);
    const key = body.toString('latin1');
    const known = this.plans.get(key);
    if (known) return known;
    const plan = this.make(body.toString('utf8'), '');
    if (this.plans.size >= cachedPlans) this.plans.clear();
    this.plans.set(key, plan);
    return plan;
  }

  private make(text: string, headerControls: string): Plan {
    const body = parse(text);
    const request = readChatRequest(body);
    const { name, controls } = splitModel(request.model);
    const userText = lastUserText(request.messages);
    const behaviour = readBehaviour(this.defaults, [controls, headerControls, controlsInText(userText)]);
    const choices = behaviour.status === null ? writeAnswer(request, withoutControls(userText), behaviour) : [];
    const inputTokens = openaiChatSurface.countInputTokens(body);
    const outputTokens = choices.reduce((sum, choice) => sum + choice.tokens, 0);
    const usage = behaviour.fault === 'no_usage' ? null : { inputTokens, outputTokens };
    const completionTail = renderCompletionTail(name, choices, usage);
    return { request, model: name, behaviour, inputTokens, outputTokens, choices, completionTail };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError('We could not parse the JSON body of your request.', null);
  }
}
