import { aborts } from './plain/aborts';
import { backgroundResponses } from './plain/background';
import { bills } from './plain/bills';
import { bodies } from './plain/bodies';
import { cli } from './plain/cli';
import { conversations } from './plain/conversations';
import { embeddings } from './plain/embeddings';
import { limits, limitsInTheEnd } from './plain/limits';
import { officialClients } from './plain/official-clients';
import { openaiSdk } from './plain/openai-sdk';
import { readme } from './plain/readme';
import { reportedRequests } from './plain/reported-requests';
import { responseCache } from './plain/response-cache';
import { responsesSocket } from './plain/responses-socket';
import { storedResponses } from './plain/stored-responses';
import { unconfirmedPrices } from './plain/unconfirmed-prices';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

/**
 * Everything here needs a stack as it comes, and no strike: they share one, each with keys of its own. One of
 * them alone: `-t "the response cache"`.
 */
let test: TestStack;
const shared = () => test;

beforeAll(async () => (test = await startTestStack()));
afterAll(() => test.stop());

// First, so that the minute in which its key is refused passes while the others run.
describe('the limits of a key', () => limits(shared));
describe('the OpenAI client', () => openaiSdk(shared));
describe('official clients on every dialect', () => officialClients(shared));
describe('embeddings', () => embeddings(shared));
describe('a caller who leaves', () => aborts(shared));
describe('the response cache', () => responseCache(shared));
describe('stored responses', () => storedResponses(shared));
describe('responses over WebSocket', () => responsesSocket(shared));
describe('responses in the background', () => backgroundResponses(shared));
describe('conversations', () => conversations(shared));
describe('bodies', () => bodies(shared));
describe('requests that were reported', () => reportedRequests(shared));
describe('the bills of providers', () => bills(shared));
describe('the CLI', () => cli(shared));
describe('prices on which sources disagree', () => unconfirmedPrices(shared));
describe('the README', () => readme(shared));
describe('the limits of a key, a minute later', () => limitsInTheEnd());
