import { applyDecorators, Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { accountScope, type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { WrongPassword } from '../../../auth/auth.errors';
import { ClientAddress } from '../../../auth/http/client-address';
import { OperatorRequired } from '../../../auth/http/route-access.decorators';
import { ApiTooManyAttempts } from '../../../auth/http/attempts.openapi';
import {
  ApiData,
  ApiDataSchema,
  ApiDataList,
  ApiDataPage,
  ApiEndpoint,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { toListMeta } from '../../../common/http/responses/fields';
import { AccountDirectory } from '../account-directory.service';
import { AccountOperations } from '../account-operations.service';
import { AccountNotFound, OwnAccount } from '../operations.errors';
import { AccountListRequest, encodeCursor, OperationRequest, PlanChangeRequest } from './operations.request';
import {
  AccountListMetaResponse,
  OperatedAccountResponse,
  OperatorActionResponse,
  toOperatedAccountResponse,
  toOperatorActionResponse,
} from './operations.response';
import { InstallationOverviewResponse, toInstallationOverviewResponse } from './overview.response';
import { OverviewService } from '../overview.service';

/** An action on an account: the operator's password is asked for again. */
const OperatorActionRoute = (operationId: string, summary: string, description: string): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    OperatorRequired(),
    ApiEndpoint(operationId, summary, `${description} The action is logged and kept for a year.`),
    ApiDataSchema(OperatedAccountResponse, 'The account'),
    ApiErrors(AccountNotFound),
    ApiError(new WrongPassword('password')),
    ApiTooManyAttempts(),
  );

/** For the sessions of operators; for everyone else these routes do not exist. */
@ApiTags('Operations')
@Controller('operations')
export class OperationsController {
  constructor(
    private readonly overview: OverviewService,
    private readonly directory: AccountDirectory,
    private readonly operations: AccountOperations,
  ) {}

  @Get('overview')
  @OperatorRequired()
  @ApiEndpoint(
    'getOverview',
    'Read the state of the installation',
    'Processes, health, queues, versions and pending migrations. At most five seconds old.',
  )
  @ApiData(InstallationOverviewResponse, 'The state')
  async read(): Promise<InstallationOverviewResponse> {
    return toInstallationOverviewResponse(await this.overview.read());
  }

  @Get('accounts')
  @OperatorRequired()
  @ApiEndpoint(
    'listAccounts',
    'List the accounts',
    'Lists the accounts in the order of their e-mail addresses.',
  )
  @ApiDataPage(OperatedAccountResponse, AccountListMetaResponse, 'A page of accounts')
  @ApiFieldError('cursor', 'is not a nextCursor of this list; begin again without one')
  async list(
    @Query() request: AccountListRequest,
  ): Promise<Page<OperatedAccountResponse, AccountListMetaResponse>> {
    const query = request.read();
    const { accounts, lastEmail } = await this.directory.list(query);
    const nextCursor = lastEmail === undefined ? null : encodeCursor(lastEmail);
    return new Page(accounts.map(toOperatedAccountResponse), toListMeta(query.limit, nextCursor));
  }

  @Get('actions')
  @OperatorRequired()
  @ApiEndpoint('listOperatorActions', 'List the actions of operators', 'The last 100 actions on accounts.')
  @ApiDataList(OperatorActionResponse, 'The actions, newest first')
  async actions(): Promise<OperatorActionResponse[]> {
    return (await this.operations.list()).map(toOperatorActionResponse);
  }

  @Post('accounts/:id/plan')
  @OperatorActionRoute('setAccountPlan', 'Move an account to another plan', 'Takes effect within seconds.')
  @ApiJsonBody(PlanChangeRequest)
  async setPlan(
    @CurrentAccount() operator: AccountScope,
    @PathId('Account id') id: Types.ObjectId,
    @Body() { plan, password }: PlanChangeRequest,
    @ClientAddress() address: string,
  ): Promise<OperatedAccountResponse> {
    const action = { action: 'plan', plan } as const;
    return toOperatedAccountResponse(
      await this.operations.act({ operator, password, address }, accountScope(id), action),
    );
  }

  @Post('accounts/:id/disable')
  @OperatorActionRoute(
    'disableAccount',
    'Disable an account',
    'Refuses its keys and sessions, and holds its messages, until it is enabled.',
  )
  @ApiErrors(OwnAccount)
  @ApiJsonBody(OperationRequest)
  async disable(
    @CurrentAccount() operator: AccountScope,
    @PathId('Account id') id: Types.ObjectId,
    @Body() { password }: OperationRequest,
    @ClientAddress() address: string,
  ): Promise<OperatedAccountResponse> {
    const by = { operator, password, address };
    return toOperatedAccountResponse(await this.operations.act(by, accountScope(id), { action: 'disable' }));
  }

  @Post('accounts/:id/enable')
  @OperatorActionRoute(
    'enableAccount',
    'Enable a disabled account',
    'Waiting messages are sent within about a minute.',
  )
  @ApiJsonBody(OperationRequest)
  async enable(
    @CurrentAccount() operator: AccountScope,
    @PathId('Account id') id: Types.ObjectId,
    @Body() { password }: OperationRequest,
    @ClientAddress() address: string,
  ): Promise<OperatedAccountResponse> {
    const by = { operator, password, address };
    return toOperatedAccountResponse(await this.operations.act(by, accountScope(id), { action: 'enable' }));
  }
}
