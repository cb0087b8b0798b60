import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { ParseIdPipe } from '../../common/http/requests/id.pipe';
import {
  ApiEndpoint,
  ApiCredentialError,
  ApiFieldError,
  ApiJsonBody,
  ApiData,
  ApiSuccess,
  ApiDataList,
  ApiErrors,
  ApiIdParam,
} from '../../common/http/openapi-decorators';
import { type AuthenticatedAccount, CurrentAccount } from '../account-scope';
import { ApiTooManyAttempts } from '../limits/attempts.openapi';
import { Public, SessionRequired } from '../guards/route-access.decorators';
import { RequestClient } from '../client-address';
import { SignInService } from '../accounts/sign-in.service';
import { CsrfCheckFailed, SessionNotFound, SignInLinkInvalid } from './session.errors';
import type { Client } from './session.schema';
import { SessionCookies, type SessionCookieWriter } from './session-cookie';
import { SignInLinksService } from './sign-in-links.service';
import { SignInRequest } from './sign-in.request';
import {
  NewSessionResponse,
  SessionResponse,
  toNewSessionResponse,
  toSessionResponse,
} from './session.response';
import { SessionsService } from './sessions.service';

@ApiTags('Account')
@Controller('auth')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly signIns: SignInService,
    private readonly links: SignInLinksService,
  ) {}

  @Public()
  @Post('session')
  @ApiEndpoint(
    'signIn',
    'Sign in',
    'With e-mail address and password, or with the token of a sign-in link. A page of the service (same `Origin`) gets ' +
      'a cookie that scripts cannot read; every other caller gets the token.',
  )
  @ApiJsonBody(SignInRequest)
  @ApiData(NewSessionResponse, 'The session that was opened', { status: 201 })
  @ApiFieldError('email', 'must be an email')
  @ApiCredentialError()
  @ApiErrors(SignInLinkInvalid, CsrfCheckFailed)
  @ApiTooManyAttempts()
  async signIn(
    @Body() { email = '', password = '', token }: SignInRequest,
    @RequestClient() client: Client,
    @SessionCookies() cookies: SessionCookieWriter,
  ): Promise<NewSessionResponse> {
    cookies.assertMayIssue();
    const signedIn = await (token === undefined
      ? this.signIns.signIn(email, password, client)
      : this.links.redeem(token, client));
    return toNewSessionResponse(signedIn, cookies.issue(signedIn.session));
  }

  @Get('session')
  @SessionRequired()
  @ApiEndpoint(
    'getSession',
    'Read the session of this call',
    'When and how the person signed in, and when the session expires.',
  )
  @ApiData(SessionResponse, 'The session')
  async current(@CurrentAccount() account: AuthenticatedAccount): Promise<SessionResponse> {
    const { id } = account.credential;
    return toSessionResponse(await this.sessions.get(account, id), id);
  }

  @Get('sessions')
  @SessionRequired()
  @ApiEndpoint('listSessions', 'List the sessions of the account', 'Where the account is signed in.')
  @ApiDataList(SessionResponse, 'The valid sessions, newest first')
  async list(@CurrentAccount() account: AuthenticatedAccount): Promise<SessionResponse[]> {
    const sessions = await this.sessions.list(account);
    return sessions.map((session) => toSessionResponse(session, account.credential.id));
  }

  @Delete('sessions/:id')
  @SessionRequired()
  @ApiEndpoint(
    'revokeSession',
    'Revoke a session',
    'The session is refused immediately, and its streams close.',
  )
  @ApiIdParam('id', 'Session id')
  @ApiSuccess('The session has ended')
  @ApiErrors(SessionNotFound)
  async revoke(
    @CurrentAccount() account: AuthenticatedAccount,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<void> {
    await this.sessions.revoke(account, id);
  }

  @Delete('sessions')
  @SessionRequired()
  @ApiEndpoint(
    'signOutEverywhere',
    'Sign out everywhere',
    'Ends all sessions of the account, including the one of this call, and its sign-in links. API keys stay valid.',
  )
  @ApiSuccess('All sessions have ended')
  async signOutEverywhere(
    @CurrentAccount() account: AuthenticatedAccount,
    @SessionCookies() cookies: SessionCookieWriter,
  ): Promise<void> {
    await this.sessions.endAll(account);
    cookies.clear();
  }

  @Delete('session')
  @SessionRequired()
  @ApiEndpoint('signOut', 'Sign out', 'Ends the session of this call.')
  @ApiSuccess('The session has ended')
  async signOut(
    @CurrentAccount() account: AuthenticatedAccount,
    @SessionCookies() cookies: SessionCookieWriter,
  ): Promise<void> {
    await this.sessions.end(account, account.credential.id);
    cookies.clear();
  }

  @Post('logout')
  @SessionRequired()
  @ApiEndpoint('logOut', 'Sign out (older dashboards)', 'The same as `DELETE auth/session`.')
  @ApiSuccess('The session has ended')
  logOut(
    @CurrentAccount() account: AuthenticatedAccount,
    @SessionCookies() cookies: SessionCookieWriter,
  ): Promise<void> {
    return this.signOut(account, cookies);
  }
}
