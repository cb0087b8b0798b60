import { Body, Controller, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { type AccountScope, type AuthenticatedAccount, CurrentAccount } from '../../auth/account-scope';
import { ConcurrencyLimited } from '../../auth/limits/limit.errors';
import { PhoneRoute } from '../../auth/http/phone-route.decorator';
import { Unwrapped } from '../../common/http/responses/envelope.interceptor';
import { ParseIdPipe } from '../../common/http/requests/id.pipe';
import {
  ApiEndpoint,
  ApiUnwrapped,
  ApiData,
  ApiSuccess,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import type { PlatformResponse } from '../../common/http/connections/raw-http';
import { DeviceNotFound, RegistrationsBusy } from '../../devices/store/devices.errors';
import { HeartbeatRequest } from '../../devices/http/heartbeat.request';
import { BatchChanging, MessageNotFound } from '../../messages/messages.errors';
import { AcknowledgeRequest, ReceivedSmsRequest, StatusReportRequest } from './phone-call.request';
import {
  AcknowledgeResponse,
  CancelledMessagesResponse,
  HeartbeatResponse,
  ReceptionResponse,
  toHeartbeatResponse,
  toReceptionResponse,
} from './phone-call.response';
import { PhoneReports } from '../phone-reports.service';
import { CancellationService } from '../../gateway/cancellation/cancellation.service';
import { IncomingSmsService } from '../incoming-sms.service';
import { NotAStreamDevice, ReceiveLimitReached } from '../phone.errors';
import { PhoneCall } from '../phone-call.interceptor';
import { PhoneStreamService } from '../streams/phone-stream.service';
import { PhoneService } from '../phone.service';

const STREAM_EXAMPLE =
  'event: sms\ndata: {"smsId":"665f1c2ab7e1d4a9c0f3e812","smsBatchId":"665f1c2ab7e1d4a9c0f3e813","message":"Hello","recipients":["+447700900123"]}\n\n';

@ApiTags('Phones')
@Controller('gateway/devices/:id')
export class PhoneController {
  constructor(
    private readonly phones: PhoneService,
    private readonly incoming: IncomingSmsService,
    private readonly cancellation: CancellationService,
    private readonly reports: PhoneReports,
    private readonly streams: PhoneStreamService,
  ) {}

  @PhoneRoute()
  @Post('heartbeat')
  @HttpCode(200)
  @Unwrapped()
  @ApiEndpoint(
    'sendHeartbeat',
    'Report the state of the phone',
    'Fields that are missing or empty leave the stored value unchanged; so does zero where it is no valid value.',
  )
  @ApiJsonBody(HeartbeatRequest)
  @ApiUnwrapped(HeartbeatResponse, 'The heartbeat was recorded; this response has no envelope')
  @ApiErrors(DeviceNotFound, RegistrationsBusy)
  async heartbeat(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: HeartbeatRequest,
  ): Promise<HeartbeatResponse> {
    return toHeartbeatResponse(await this.phones.heartbeat(account, id, body));
  }

  @PhoneRoute()
  @PhoneCall()
  @Post(['receive-sms', 'receiveSMS'])
  @HttpCode(200)
  @ApiEndpoint(
    'receiveSms',
    'Upload an incoming message',
    'Repeated uploads of a message are stored once. An invalid upload is ignored with a reason; do not repeat it.',
  )
  @ApiJsonBody(ReceivedSmsRequest)
  @ApiData(ReceptionResponse, 'The result of the upload')
  @ApiError(new ReceiveLimitReached(20_000, 3_600_000))
  @ApiErrors(DeviceNotFound, BatchChanging)
  async receive(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: ReceivedSmsRequest,
  ) {
    return toReceptionResponse(await this.incoming.receive(account, id, body));
  }

  @PhoneRoute()
  @PhoneCall('report')
  @Patch('sms-status')
  @ApiEndpoint(
    'reportSmsStatus',
    'Report the status of a message',
    'Reports may arrive in any order and more than once; a report never moves a message to an earlier status.',
  )
  @ApiJsonBody(StatusReportRequest)
  @ApiSuccess('The report was recorded')
  @ApiErrors(MessageNotFound)
  async report(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: StatusReportRequest,
  ): Promise<void> {
    await this.reports.apply(account, id, new Types.ObjectId(body.smsId), body.toReport());
  }

  @PhoneRoute()
  @PhoneCall('acknowledgement')
  @Post('messages/ack')
  @HttpCode(200)
  @ApiEndpoint(
    'acknowledgeMessages',
    'Acknowledge messages',
    'Confirms that the phone has the messages; they are not redelivered.',
  )
  @ApiJsonBody(AcknowledgeRequest)
  @ApiData(AcknowledgeResponse, 'The number of acknowledged messages')
  @ApiFieldError('smsIds', 'must be an array')
  @ApiErrors(DeviceNotFound)
  async acknowledge(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: AcknowledgeRequest,
  ) {
    const ids = body.smsIds.map((smsId) => new Types.ObjectId(smsId));
    return { acknowledged: await this.phones.acknowledge(account, id, ids) };
  }

  @PhoneRoute()
  @PhoneCall('report')
  @Post('messages/cancelled')
  @HttpCode(200)
  @ApiEndpoint(
    'confirmCancelledMessages',
    'Confirm that the phone will not send messages',
    'The response to the event `cancel`: the phone has not sent these messages and will not send them. Those it was asked to cancel fail with the code CANCELLED and no longer count towards the plan; others are unchanged.',
  )
  @ApiJsonBody(AcknowledgeRequest)
  @ApiData(CancelledMessagesResponse, 'The number of cancelled messages')
  @ApiFieldError('smsIds', 'must be an array')
  @ApiErrors(DeviceNotFound, BatchChanging)
  async confirmCancelled(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: AcknowledgeRequest,
  ) {
    const ids = body.smsIds.map((smsId) => new Types.ObjectId(smsId));
    return { cancelled: await this.cancellation.confirm(account, id, ids) };
  }

  @PhoneRoute()
  @Get('stream')
  @ApiEndpoint(
    'openStream',
    'Open the push stream of a phone',
    'Server-Sent Events for phones registered with pushTransport stream. An event `sms` carries the JSON of one message to send (`smsId, smsBatchId, message, recipients`, optionally `simSubscriptionId`), an event `heartbeat_check` asks for a heartbeat, and an event `cancel` with `smsIds` asks a phone that registered with supportsCancel not to send these messages (the phone answers with `messages/cancelled`). A comment line every 15 seconds keeps the connection open. Missed messages are sent first.',
  )
  @ApiResponse({
    status: 200,
    description: 'The stream, open until either side closes it',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE } },
  })
  @ApiError(new ConcurrencyLimited('streams', 200))
  @ApiErrors(NotAStreamDevice, DeviceNotFound)
  async stream(
    @CurrentAccount() account: AuthenticatedAccount,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Res() response: PlatformResponse,
  ): Promise<void> {
    await this.streams.open(account, id, response);
  }
}
