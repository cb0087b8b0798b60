import { Body, Controller, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { type AccountScope, type AuthenticatedAccount, CurrentAccount } from '../auth/account-scope';
import { PhoneKeyAllowed } from '../auth/phone-key-allowed';
import { TooManyAtOnce } from '../auth/limits/limit.errors';
import { PhoneRoute } from '../auth/limits/phone-route';
import { AnswersBare } from '../common/http/envelope.interceptor';
import { ParseIdPipe } from '../common/http/id.pipe';
import {
  ApiAction,
  ApiBare,
  ApiData,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiIdParam,
  ApiJsonBody,
} from '../common/http/openapi-decorators';
import type { PlatformResponse } from '../common/http/raw-http';
import { SuccessResponse } from '../common/http/success.response';
import { DeviceNotFound } from '../devices/devices.errors';
import { MessageNotFound } from '../messages/messages.errors';
import { MessagesService } from '../messages/messages.service';
import {
  AcknowledgeRequest,
  HeartbeatRequest,
  ReceivedSmsRequest,
  StatusReportRequest,
} from './dto/phone.request';
import {
  AcknowledgeResponse,
  CancelledMessagesResponse,
  HeartbeatResponse,
  ReceptionResponse,
  toHeartbeatResponse,
  toReceptionResponse,
} from './dto/phone.response';
import { ApiStream } from './dto/stream.openapi';
import { CancellationService } from './cancellation.service';
import { IncomingService } from './incoming.service';
import { ReceptionLimited } from './phone.errors';
import { PhoneStreams } from './phone-streams.service';
import { PhoneService } from './phone.service';

/** The phones' own routes. */
@ApiTags('Phones')
@Controller('gateway/devices/:id')
export class PhoneController {
  constructor(
    private readonly phones: PhoneService,
    private readonly incoming: IncomingService,
    private readonly cancellation: CancellationService,
    private readonly messages: MessagesService,
    private readonly streams: PhoneStreams,
  ) {}

  @PhoneKeyAllowed()
  @PhoneRoute()
  @Post('heartbeat')
  @HttpCode(200)
  @AnswersBare()
  @ApiAction(
    'sendHeartbeat',
    'Report how the phone is',
    'Fields that are missing, empty or, where it means nothing, zero leave what is known as it is.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiJsonBody(HeartbeatRequest)
  @ApiBare(HeartbeatResponse, 'The heartbeat is taken in; this answer alone has no envelope')
  @ApiErrors(DeviceNotFound)
  async heartbeat(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: HeartbeatRequest,
  ): Promise<HeartbeatResponse> {
    return toHeartbeatResponse(await this.phones.heartbeat(account, id, body));
  }

  @PhoneKeyAllowed()
  @PhoneRoute()
  @Post(['receive-sms', 'receiveSMS'])
  @HttpCode(200)
  @ApiAction(
    'receiveSms',
    'Upload an incoming message',
    'The same upload twice is stored once. What can never be accepted is ignored, with a reason.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiJsonBody(ReceivedSmsRequest)
  @ApiData(ReceptionResponse, 'What became of the upload')
  @ApiError(new ReceptionLimited(20_000, 3_600_000))
  @ApiErrors(DeviceNotFound)
  async receive(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: ReceivedSmsRequest,
  ): Promise<ReceptionResponse> {
    return toReceptionResponse(await this.incoming.receive(account, id, body));
  }

  @PhoneKeyAllowed()
  @PhoneRoute()
  @Patch('sms-status')
  @ApiAction(
    'reportSmsStatus',
    'Report what became of a message',
    'Reports may come in any order and more than once; none moves a message back.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiJsonBody(StatusReportRequest)
  @ApiData(SuccessResponse, 'The report is taken in')
  @ApiErrors(MessageNotFound)
  async report(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: StatusReportRequest,
  ): Promise<SuccessResponse> {
    await this.messages.report(account, id, new Types.ObjectId(body.smsId), body.toReport());
    return { success: true };
  }

  @PhoneKeyAllowed()
  @PhoneRoute()
  @Post('messages/ack')
  @HttpCode(200)
  @ApiAction(
    'acknowledgeMessages',
    'Acknowledge messages the phone was handed',
    'They are not offered again.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiJsonBody(AcknowledgeRequest)
  @ApiData(AcknowledgeResponse, 'How many are acknowledged')
  @ApiFieldError('smsIds', 'must be an array')
  @ApiErrors(DeviceNotFound)
  async acknowledge(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: AcknowledgeRequest,
  ): Promise<AcknowledgeResponse> {
    const ids = body.smsIds.map((smsId) => new Types.ObjectId(smsId));
    return { acknowledged: await this.phones.acknowledge(account, id, ids) };
  }

  @PhoneKeyAllowed()
  @PhoneRoute()
  @Post('messages/cancelled')
  @HttpCode(200)
  @ApiAction(
    'confirmCancelledMessages',
    'Confirm that the phone will not send messages',
    'The answer to the event `cancel`: the phone has not sent these messages and never will. Those it was asked about fail with the code CANCELLED and are given back to the plan; others are left as they are.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiJsonBody(AcknowledgeRequest)
  @ApiData(CancelledMessagesResponse, 'How many were cancelled')
  @ApiFieldError('smsIds', 'must be an array')
  @ApiErrors(DeviceNotFound)
  async confirmCancelled(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: AcknowledgeRequest,
  ): Promise<CancelledMessagesResponse> {
    const ids = body.smsIds.map((smsId) => new Types.ObjectId(smsId));
    return { cancelled: await this.cancellation.confirm(account, id, ids) };
  }

  @PhoneKeyAllowed()
  @PhoneRoute()
  @Get('stream')
  @ApiAction(
    'openStream',
    'Open the stream a phone is pushed to',
    'Server-Sent Events for phones registered with pushTransport stream. An event `sms` carries the JSON of one message to send (`smsId, smsBatchId, message, recipients`, perhaps `simSubscriptionId`), an event `heartbeat_check` asks for a heartbeat, and an event `cancel` with `smsIds` asks a phone that registered with supportsCancel not to send these messages (`messages/cancelled` is the answer). A comment line every 15 seconds keeps the connection open. Messages the phone has missed are offered first.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiStream()
  @ApiError(new TooManyAtOnce('streams', 200))
  @ApiErrors(DeviceNotFound)
  async stream(
    @CurrentAccount() account: AuthenticatedAccount,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Res() response: PlatformResponse,
  ): Promise<void> {
    await this.streams.open(account, id, response);
  }
}
