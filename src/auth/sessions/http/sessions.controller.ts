import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import {
  ApiEndpoint,
  ApiCredentialError,
  ApiFieldError,
  ApiJsonBody,
  ApiData,
  ApiSuccess,
  ApiDataList,
  ApiErrors,
} from '../../../common/http/openapi-decorators';
import { type AuthenticatedAccount, CurrentAccount } from '../../account-scope';
import { MIN_PASSWORD_LENGTH } from '../../accounts/http/account-fields';
import { WrongPassword } from '../../auth.errors';
import { ApiTooManyAttempts } from '../../http/attempts.openapi';
import { Public, SessionRequired } from '../../http/route-access.decorators';
import { RequestClient } from '../../http/client-address';
import { SignInService } from '../sign-in.service';
import { CsrfCheckFailed, SessionNotFound, SignInLinkInvalid } from '../session.errors';
import type { Client } from '../../client';
import { CurrentSessionCookie, type SessionCookieWriter } from '../session-cookie';
import { SignInLinksService } from '../sign-in-links.service';
import { ChangePasswordRequest } from './change-password.request';
import { LoginRequest, SignInRequest } from './sign-in.request';
import { SignInResponse, toSignInResponse } from './sign-in.response';
import {
  CurrentSessionResponse,
  NewSessionResponse,
  SessionResponse,
  toNewSessionResponse,
  toSessionResponse,
} from './session.response';
import { SessionsService } from '../sessions.service';

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
    @CurrentSessionCookie() cookies: SessionCookieWriter,
  ): Promise<NewSessionResponse> {
    cookies.assertMayIssue();
    const signedIn = await (token === undefined
      ? this.signIns.signIn(email, password, client)
      : this.links.redeem(token, client));
    return toNewSessionResponse(signedIn, cookies.issue(signedIn.session));
  }

  @Public()
  @Post('login')
  @ApiEndpoint(
    'logIn',
    'Sign in to the dashboard',
    'Send the accessToken of the response as authorization: Bearer.',
  )
  @ApiJsonBody(LoginRequest)
  @ApiData(SignInResponse, 'The account, signed in')
  @ApiFieldError('email', 'must be an email')
  @ApiCredentialError()
  @ApiTooManyAttempts()
  async logIn(@Body() body: LoginRequest, @RequestClient() client: Client): Promise<SignInResponse> {
    return toSignInResponse(await this.signIns.signIn(body.email, body.password, client));
  }

  @Post('change-password')
  @SessionRequired()
  @ApiEndpoint('changePassword', 'Change the password', 'Ends every other session.')
  @ApiJsonBody(ChangePasswordRequest)
  @ApiData(NewSessionResponse, 'A new session')
  @ApiFieldError('newPassword', `must be longer than or equal to ${MIN_PASSWORD_LENGTH} characters`)
  @ApiErrors(WrongPassword)
  @ApiTooManyAttempts()
  async changePassword(
    @CurrentAccount() account: AuthenticatedAccount,
    @Body() { oldPassword, newPassword }: ChangePasswordRequest,
    @RequestClient() client: Client,
    @CurrentSessionCookie() cookies: SessionCookieWriter,
  ): Promise<NewSessionResponse> {
    const signedIn = await this.signIns.changePassword(account, oldPassword, newPassword, client);
    return toNewSessionResponse(signedIn, cookies.replace(signedIn.session));
  }

  @Get('session')
  @SessionRequired()
  @ApiEndpoint(
    'getSession',
    'Read the session of this call',
    'When and how the person signed in, and when the session expires.',
  )
  @ApiData(CurrentSessionResponse, 'The session')
  async current(@CurrentAccount() account: AuthenticatedAccount): Promise<CurrentSessionResponse> {
    const { id } = account.credential;
    const [session, accountHasPassword] = await Promise.all([
      this.sessions.get(account, id),
      this.signIns.hasPassword(account),
    ]);
    return Object.assign(toSessionResponse(session, id), { accountHasPassword });
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
  @ApiSuccess('The session has ended')
  @ApiErrors(SessionNotFound)
  async revoke(
    @CurrentAccount() account: AuthenticatedAccount,
    @PathId('Session id') id: Types.ObjectId,
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
    @CurrentSessionCookie() cookies: SessionCookieWriter,
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
    @CurrentSessionCookie() cookies: SessionCookieWriter,
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
    @CurrentSessionCookie() cookies: SessionCookieWriter,
  ): Promise<void> {
    return this.signOut(account, cookies);
  }
}
