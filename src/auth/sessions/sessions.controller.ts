import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { ParseIdPipe } from '../../common/http/id.pipe';
import { ApiAction, ApiData, ApiDataList, ApiErrors, ApiIdParam } from '../../common/http/openapi-decorators';
import { SuccessResponse } from '../../common/http/success.response';
import { type AuthenticatedAccount, CurrentAccount } from '../account-scope';
import { SessionNotFound } from './session.errors';
import { SessionRequired } from './session-required';
import { SessionResponse, toSessionResponse } from './session.response';
import { SessionsService } from './sessions.service';

@ApiTags('Account')
@Controller('auth')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get('session')
  @SessionRequired()
  @ApiAction(
    'getSession',
    'Read the session of this call',
    'When and how the person signed in, and until when.',
  )
  @ApiData(SessionResponse, 'The session')
  async current(@CurrentAccount() account: AuthenticatedAccount): Promise<SessionResponse> {
    const { id } = account.credential;
    return toSessionResponse(await this.sessions.get(account, id), id);
  }

  @Get('sessions')
  @SessionRequired()
  @ApiAction('listSessions', 'List the sessions of the account', 'Where its people are signed in.')
  @ApiDataList(SessionResponse, 'The sessions that are valid, the newest first')
  async list(@CurrentAccount() account: AuthenticatedAccount): Promise<SessionResponse[]> {
    const sessions = await this.sessions.list(account);
    return sessions.map((session) => toSessionResponse(session, account.credential.id));
  }

  @Delete('sessions/:id')
  @SessionRequired()
  @ApiAction('revokeSession', 'Revoke a session', 'It is refused everywhere at once, and its streams close.')
  @ApiIdParam('id', 'Session id')
  @ApiData(SuccessResponse, 'The session has ended')
  @ApiErrors(SessionNotFound)
  async revoke(
    @CurrentAccount() account: AuthenticatedAccount,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<SuccessResponse> {
    await this.sessions.revoke(account, id);
    return { success: true };
  }

  @Delete('session')
  @SessionRequired()
  @ApiAction('signOut', 'Sign out', 'Ends the session of this call.')
  @ApiData(SuccessResponse, 'The session has ended')
  async signOut(@CurrentAccount() account: AuthenticatedAccount): Promise<SuccessResponse> {
    await this.sessions.end(account, account.credential.id);
    return { success: true };
  }

  @Post('logout')
  @HttpCode(200)
  @SessionRequired()
  @ApiAction('logOut', 'Sign out, as older dashboards do', 'The same as `DELETE auth/session`.')
  @ApiData(SuccessResponse, 'The session has ended')
  logOut(@CurrentAccount() account: AuthenticatedAccount): Promise<SuccessResponse> {
    return this.signOut(account);
  }
}
