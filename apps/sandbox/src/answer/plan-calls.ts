import { countTextTokens } from '@tollgate/dialects';
import type { NeutralRequest, OfferedTool } from '../request/neutral-request';
import type { AnswerControls } from './answer-controls';
import { exampleOf } from './example-of';
import { inPieces } from './pieces';
import { exampleText } from './plan-text';
import type { PlannedBlock } from './planned-answer';

/**
 * The tools that an answer calls: those that the request demands, or those that the user names (with the
 * control `calls`: or else the first one), until as many rounds of results are there as are wanted.
 */
export function planCalls(
  request: NeutralRequest,
  userText: string,
  controls: AnswerControls,
  seed: number,
): PlannedBlock[] {
  const scripted = controls.script && scriptedCalls(request, controls, seed);
  if (scripted && (scripted.length > 0 || !isDemanded(request))) return scripted;
  const called = toolsToCall(request, userText, controls.calls);
  const most = request.takesParallelCalls ? called.length : 1;
  return called.slice(0, most).map((tool, index) => callOf(tool, controls, seed + index));
}

/**
 * A call that is demanded comes, whatever was scripted.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#forcing-tool-use
 */
function isDemanded({ toolChoice }: NeutralRequest): boolean {
  return toolChoice !== 'auto' && toolChoice !== 'none';
}

function toolsToCall(request: NeutralRequest, userText: string, calls: number | null): readonly OfferedTool[] {
  const { tools, toolChoice, resultRounds } = request;
  const [first] = tools;
  if (!first || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name);
  const mentioned = tools.filter(({ name }) => new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\b`).test(userText));
  const wanted = calls ?? (mentioned.length > 0 ? 1 : 0);
  if (toolChoice === 'auto' && resultRounds.length >= wanted) return [];
  return mentioned.length > 0 ? mentioned : [first];
}

/**
 * What the control `script` has for this round, of the tools that are offered under these names (in a group
 * of tools: under one that ends with it).
 */
function scriptedCalls(request: NeutralRequest, controls: AnswerControls, seed: number): PlannedBlock[] {
  const round = controls.script?.[request.resultRounds.length] ?? [];
  if (typeof round === 'string') return [];
  return round.flatMap(({ name, arguments: given }, index) => {
    const tool = request.tools.find(
      (each) => each.name === name || new RegExp(`\\W_*${name}$|__${name}$`).test(each.name),
    );
    return tool ? [callOf(tool, controls, seed + index, given)] : [];
  });
}

function callOf(
  tool: OfferedTool,
  { bits, unicode }: AnswerControls,
  seed: number,
  given = exampleOf(tool.schema, exampleText(unicode)),
): PlannedBlock {
  const pieces = inPieces(JSON.stringify(given), bits);
  const id = `call_${seed.toString(36).padStart(8, '0')}`;
  return { type: 'tool-call', id, name: tool.name, nameTokens: countTextTokens(tool.name), pieces };
}
