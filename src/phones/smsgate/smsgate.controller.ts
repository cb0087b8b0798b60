import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AuthenticatedAccount, CurrentAccount } from '../../auth/account-scope';
import { ClientAddress } from '../../auth/http/client-address';
import { DeviceTokenRoute } from '../../auth/http/phone-route.decorator';
import { Public, PublicSigned } from '../../auth/http/route-access.decorators';
import { ParseIdPipe } from '../../common/http/requests/id.pipe';
import { type PlatformRequest, type PlatformResponse } from '../../common/http/connections/raw-http';
import { Unwrapped } from '../../common/http/responses/envelope.interceptor';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { PhoneFetchService } from '../phone-fetch.service';
import { appSettings } from './app-settings';
import { AppHooks } from './app-hooks.service';
import { toListedMessage } from './listed-message';
import type { ReportedDevice } from './reported-device';
import { SmsGateErrorFilter } from './smsgate-error.filter';
import { ForeignDevice } from './smsgate.errors';
import { SmsGateHooks } from './smsgate-hooks.service';
import { SmsGateRegistration } from './smsgate-registration.service';
import { SmsGateReports } from './smsgate-reports.service';
import { SmsGateStreams } from './smsgate-streams.service';

/** The app asks for the rest when it has reported these. */
const MAX_LISTED_MESSAGES = 100;

/**
 * The phone protocol of the app SMS Gateway for Android (SMSGate), an independent project, as of its version 1.68.0: the app calls,
 * this service answers as its server. Authenticated by the device's token.
 */
@ApiExcludeController()
@UseFilters(SmsGateErrorFilter)
@Controller()
export class SmsGateController {
  constructor(
    private readonly registration: SmsGateRegistration,
    private readonly fetches: PhoneFetchService,
    private readonly reports: SmsGateReports,
    private readonly streams: SmsGateStreams,
    private readonly hooks: SmsGateHooks,
    private readonly appHooks: AppHooks,
    private readonly connections: ConnectionRecorder,
  ) {}

  /** Registers a phone. */
  @Public()
  @Post('device')
  @Unwrapped()
  register(
    @Body() body: ReportedDevice,
    @Headers('authorization') authorization: string | undefined,
    @Headers('user-agent') userAgent: string | undefined,
    @ClientAddress() address: string,
  ) {
    return this.registration.register(body, {
      ...(authorization !== undefined && { authorization }),
      ...(userAgent !== undefined && { userAgent }),
      address,
    });
  }

  /** Called at each start of the app. */
  @DeviceTokenRoute()
  @Patch('device')
  @HttpCode(204)
  @Unwrapped()
  async update(
    @CurrentAccount() account: AuthenticatedAccount,
    @Body() body: ReportedDevice & { readonly id?: unknown },
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<void> {
    const device = deviceOf(account);
    if (body.id !== device.toHexString()) throw new ForeignDevice();
    await this.registration.update(account, device, body, userAgent);
  }

  /** The app shows the address. */
  @Public()
  @Get('device')
  @Unwrapped()
  address(@ClientAddress() externalIp: string) {
    return { externalIp };
  }

  @DeviceTokenRoute()
  @Get('events')
  async events(
    @CurrentAccount() account: AuthenticatedAccount,
    @Res() response: PlatformResponse,
  ): Promise<void> {
    await this.streams.open(account, deviceOf(account), response);
  }

  /** What to send. The fetch is the dispatch: nothing was handed over before. */
  @DeviceTokenRoute()
  @Get(['message', 'messages'])
  @Unwrapped()
  async list(@CurrentAccount() account: AuthenticatedAccount) {
    const device = deviceOf(account);
    const messages = await this.streams.duringFetch(device, () =>
      this.fetches.fetch(account, device, MAX_LISTED_MESSAGES),
    );
    this.connections.recordCall(device, 'call');
    return messages.map(toListedMessage);
  }

  @DeviceTokenRoute()
  @Patch(['message', 'messages'])
  @HttpCode(204)
  @Unwrapped()
  async report(@CurrentAccount() account: AuthenticatedAccount, @Body() body: unknown): Promise<void> {
    const device = deviceOf(account);
    await this.reports.apply(account, device, body);
    this.connections.recordCall(device, 'acknowledgement');
  }

  @DeviceTokenRoute()
  @Get('settings')
  @Unwrapped()
  async settings(@CurrentAccount() account: AuthenticatedAccount) {
    return appSettings(await this.appHooks.signingKeyOf(deviceOf(account)));
  }

  /** Where the app posts what it receives. */
  @DeviceTokenRoute()
  @Get('webhooks')
  @Unwrapped()
  webhooks(
    @CurrentAccount() account: AuthenticatedAccount,
    @Headers('user-agent') userAgent: string | undefined,
    @Req() request: PlatformRequest,
  ) {
    return this.appHooks.list(deviceOf(account), userAgent, request);
  }

  @PublicSigned()
  @Post('hook/:id')
  @HttpCode(204)
  @Unwrapped()
  async hook(
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: unknown,
    @Headers('x-timestamp') timestamp: string | undefined,
    @Headers('x-signature') signature: string | undefined,
    @ClientAddress() address: string,
  ): Promise<void> {
    await this.hooks.take(
      id,
      { body: String(body), timestamp: timestamp ?? '', signature: signature ?? '' },
      address,
    );
  }

  /** For apps that registered with a password, which this service gives none. */
  @Public()
  @Get('user/code')
  @HttpCode(501)
  @Unwrapped()
  userCode() {
    return { message: 'A code is made on the page Pair a phone' };
  }

  @Public()
  @Patch('user/password')
  @HttpCode(403)
  @Unwrapped()
  userPassword() {
    return { message: 'The app has no password here' };
  }
}

/** The device of the token. */
function deviceOf({ credential }: AuthenticatedAccount): Types.ObjectId {
  return credential.id;
}
