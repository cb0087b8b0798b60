import { Body, Controller, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Types } from 'mongoose';
import { type AccountScope, type AuthenticatedAccount, CurrentAccount } from '../auth/account-scope';
import { AnswersBare } from '../common/http/envelope.interceptor';
import { ParseIdPipe } from '../common/http/id.pipe';
import { MessagesService } from '../messages/messages.service';
import {
  AcknowledgeRequest,
  HeartbeatRequest,
  ReceivedSmsRequest,
  StatusReportRequest,
} from './dto/phone.request';
import {
  HeartbeatResponse,
  ReceptionResponse,
  toHeartbeatResponse,
  toReceptionResponse,
} from './dto/phone.response';
import { IncomingService } from './incoming.service';
import { PhoneStreams } from './phone-streams.service';
import { PhoneService } from './phone.service';

/** The phones' own routes. */
@Controller('gateway/devices/:id')
export class PhoneController {
  constructor(
    private readonly phones: PhoneService,
    private readonly incoming: IncomingService,
    private readonly messages: MessagesService,
    private readonly streams: PhoneStreams,
  ) {}

  @Post('heartbeat')
  @HttpCode(200)
  @AnswersBare()
  async heartbeat(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: HeartbeatRequest,
  ): Promise<HeartbeatResponse> {
    return toHeartbeatResponse(await this.phones.heartbeat(account, id, body));
  }

  @Post(['receive-sms', 'receiveSMS'])
  @HttpCode(200)
  async receive(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: ReceivedSmsRequest,
  ): Promise<ReceptionResponse> {
    return toReceptionResponse(await this.incoming.receive(account, id, body.toIncoming()));
  }

  @Patch('sms-status')
  async report(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: StatusReportRequest,
  ): Promise<{ success: true }> {
    await this.messages.report(account, id, new Types.ObjectId(body.smsId), body.toReport());
    return { success: true };
  }

  @Post('messages/ack')
  @HttpCode(200)
  async acknowledge(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: AcknowledgeRequest,
  ): Promise<{ acknowledged: number }> {
    const ids = body.smsIds.map((smsId) => new Types.ObjectId(smsId));
    return { acknowledged: await this.phones.acknowledge(account, id, ids) };
  }

  @Get('stream')
  async stream(
    @CurrentAccount() account: AuthenticatedAccount,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.open(account, id, response);
  }
}
