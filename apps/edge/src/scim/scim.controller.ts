import {
  All,
  type ArgumentsHost,
  Catch,
  Controller,
  Delete,
  type ExceptionFilter,
  Get,
  Header,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ControlError, type Operation } from '@tollgate/contracts';
import { directoryOperations, directoryScope, type DirectoryUser } from '@tollgate/contracts/accounts';
import { ControlClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { actorOf } from '../admin-api/admin-api';
import { AdminGuard, type AdminRequest, OpensTo } from '../admin-api/admin.strategy';
import { errorHeaders } from '../errors/error-reply';
import { errorToTell } from '../errors/to-gateway-error';
import { CallerLeft } from '../generation/caller-left';
import { JsonBodies } from '../http/json-bodies';
import { contextOf } from '../http/request-context';
import { ScimError, scimErrorBody, scimType } from './scim-error';
import { listOf, providerConfig, userAttributes, userType, fromScimQuery } from './scim-facts';
import { fromScimPatch } from './scim-patch';
import { asNewUser, fromScimUser, renamed, type SaidUser, toScimUser, userSchema } from './scim-user';

/** Tells directories what went wrong in their own words. */
@Catch()
class ScimErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (thrown instanceof CallerLeft) return void reply.hijack();
    const known = asScimError(thrown);
    if (known) return send(reply, known.status, scimErrorBody(known.status, known.message, known.scimType));
    const requestId = contextOf(http.getRequest<FastifyRequest>().raw)?.requestId;
    const error = errorToTell(thrown, this.logger, requestId, 'a request of a directory failed');
    send(reply.headers(errorHeaders(error)), error.status, scimErrorBody(error.status, error.message, null));
  }
}

/** Null: it is told as any error of the gateway is. */
function asScimError(thrown: unknown): ScimError | null {
  if (thrown instanceof ScimError) return thrown;
  if (thrown instanceof ControlError && thrown.code === 'conflict')
    return new ScimError(409, thrown.message, 'uniqueness');
  return null;
}

function send(reply: FastifyReply, status: number, body: object): void {
  void reply.status(status).type(scimType).send(JSON.stringify(body));
}

const base = 'scim/v2';
const timeoutMs = 4_500;
const opens = OpensTo({ scope: directoryScope });
const answers = Header('content-type', scimType);

/** Users of the directory of an account, which its token names (SCIM 2.0, RFC 7643 and 7644). */
@Controller(base)
@UseGuards(AdminGuard)
@UseFilters(ScimErrorFilter)
export class ScimController {
  private readonly bodies = new JsonBodies();

  constructor(private readonly control: ControlClient) {}

  @Get('ServiceProviderConfig')
  @opens
  @answers
  config(): object {
    return providerConfig;
  }

  @Get('ResourceTypes')
  @opens
  @answers
  types(@Req() request: FastifyRequest): object {
    return listOf([userType(baseOf(request))], 1, 1);
  }

  @Get('ResourceTypes/:id')
  @opens
  @answers
  type(@Req() request: FastifyRequest, @Param('id') id: string): object {
    if (id !== 'User') throw noGroups();
    return userType(baseOf(request));
  }

  @Get('Schemas')
  @opens
  @answers
  schemas(@Req() request: FastifyRequest): object {
    return listOf([userAttributes(baseOf(request))], 1, 1);
  }

  /** https://www.rfc-editor.org/rfc/rfc7644#section-4 */
  @Get('Schemas/:id')
  @opens
  @answers
  schema(@Req() request: FastifyRequest, @Param('id') id: string): object {
    if (id !== userSchema) throw noGroups();
    return userAttributes(baseOf(request));
  }

  @Get('Users')
  @opens
  @answers
  async list(@Req() request: AdminRequest, @Query() query: unknown): Promise<object> {
    const { startIndex, wish } = fromScimQuery(query);
    const { users, total } = await this.ask(directoryOperations.list, { ...of(request), ...wish });
    return listOf(
      users.map((user) => toScimUser(user, baseOf(request))),
      total,
      startIndex,
    );
  }

  @Get('Users/:id')
  @opens
  @answers
  async get(@Req() request: AdminRequest, @Param('id') id: string): Promise<object> {
    return told(request, await this.ask(directoryOperations.get, { ...of(request), id }));
  }

  @Post('Users')
  @HttpCode(201)
  @opens
  @answers
  async create(@Req() request: AdminRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const said = asNewUser(fromScimUser(await this.bodies.read(request)));
    const { user } = await this.ask(directoryOperations.create, { ...said, ...acting(request) });
    reply.header('location', `${baseOf(request)}/Users/${user.id}`);
    return told(request, { user });
  }

  /** All that is kept of the user is as it is sent, but role and `active`, which stay. */
  @Put('Users/:id')
  @opens
  @answers
  async replace(@Req() request: AdminRequest, @Param('id') id: string): Promise<object> {
    const said = fromScimUser(await this.bodies.read(request));
    return this.change(request, id, { ...asNewUser(said), role: said.role, active: said.active });
  }

  @Patch('Users/:id')
  @opens
  @answers
  async patch(@Req() request: AdminRequest, @Param('id') id: string): Promise<object> {
    const { parts, ...said } = fromScimPatch(await this.bodies.read(request));
    if (parts === undefined) return this.change(request, id, said);
    const { user } = await this.ask(directoryOperations.get, { ...of(request), id });
    return this.change(request, id, { ...said, name: renamed(user, parts) });
  }

  @Delete('Users/:id')
  @HttpCode(204)
  @opens
  async remove(@Req() request: AdminRequest, @Param('id') id: string): Promise<void> {
    await this.ask(directoryOperations.remove, { ...acting(request), id });
  }

  /** Okta asks for them when it is set up, and whenever it looks for users. */
  @Get('Groups')
  @opens
  @answers
  groups(): object {
    return listOf([], 0, 1);
  }

  /**
   * Directories that are set to push groups, too, show their people what this says. Entra takes a 404 to
   * something that it sends for a directory that is none, and its job, also for users, goes into quarantine:
   * https://learn.microsoft.com/en-us/entra/identity/app-provisioning/application-provisioning-quarantine-status
   */
  @Post('Groups')
  @opens
  takesNoGroup(): never {
    throw noGroups(501);
  }

  @All('Groups/:id')
  @opens
  hasNoGroup(): never {
    throw noGroups();
  }

  /** https://www.rfc-editor.org/rfc/rfc7644#section-3.11 */
  @All('Me')
  @opens
  isNobody(): never {
    throw new ScimError(501, 'The token of a directory is nobody: find a user by userName or externalId.');
  }

  /** https://www.rfc-editor.org/rfc/rfc7644#section-3.12 */
  @All('Bulk')
  @opens
  takesNoBulk(): never {
    throw new ScimError(501, 'Nothing is done in bulk here: send each user alone.');
  }

  private async change(request: AdminRequest, id: string, said: SaidUser): Promise<object> {
    return told(request, await this.ask(directoryOperations.change, { ...said, ...acting(request), id }));
  }

  private ask<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
  ): Promise<z.output<Reply>> {
    return this.control.call(operation, request, { timeoutMs });
  }
}

function noGroups(status: 404 | 501 = 404): ScimError {
  return new ScimError(status, 'There are no groups here, only users: say what somebody is in the roles of the user.');
}

/** Whose directory a token is of. @throws ScimError 403 for a token of none. */
function of({ user: { accountId } }: AdminRequest): { accountId: string } {
  if (accountId === null) throw new ScimError(403, 'This token is of no account: make one with --account.');
  return { accountId };
}

function acting(request: AdminRequest): { accountId: string; actor: string } {
  return { ...of(request), actor: actorOf(request.user) };
}

function told(request: FastifyRequest, { user }: { user: DirectoryUser }): object {
  return toScimUser(user, baseOf(request));
}

/** Where the directory asked, as it called us. */
function baseOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}/${base}`;
}
