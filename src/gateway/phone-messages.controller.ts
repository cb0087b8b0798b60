import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { PhoneKeyAllowed } from '../auth/phone-key-allowed';
import type { Page } from '../common/http/envelope.interceptor';
import { ParseIdPipe } from '../common/http/id.pipe';
import {
  ApiAction,
  ApiDataList,
  ApiDataPage,
  ApiErrors,
  ApiFieldError,
  ApiIdParam,
} from '../common/http/openapi-decorators';
import { DeviceNotFound } from '../devices/devices.errors';
import { answerPage } from '../messages/dto/message-list.response';
import { MessageResponse } from '../messages/dto/message.response';
import { MessageListService } from '../messages/message-list.service';
import { readMessageQuery } from '../messages/message-query';
import { DeviceMessagesRequest, ReceivedMessagesRequest } from './dto/phone-messages.request';
import {
  PendingSmsResponse,
  PhonePageMeta,
  toPendingSmsResponse,
  toPhonePageMeta,
} from './dto/phone-messages.response';
import { PhoneService } from './phone.service';

/** The messages of one device, as phones and older integrations read them. */
@ApiTags('Phones')
@Controller('gateway/devices/:id')
export class PhoneMessagesController {
  constructor(
    private readonly phones: PhoneService,
    private readonly messages: MessageListService,
  ) {}

  @PhoneKeyAllowed()
  @Get('messages')
  @ApiAction('listDeviceMessages', "List a device's messages", 'The page the phone shows, newest first.')
  @ApiIdParam('id', 'Device id')
  @ApiDataPage(MessageResponse, PhonePageMeta, 'A page of messages, and where it stands')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiErrors(DeviceNotFound)
  async list(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Query() request: DeviceMessagesRequest,
  ): Promise<Page<MessageResponse, PhonePageMeta> | StreamableFile> {
    const query = readMessageQuery(request.queryFor(id.toHexString()));
    const page = await this.messages.open(account, query);
    return answerPage(page, toPhonePageMeta(page.meta));
  }

  @PhoneKeyAllowed()
  @Get('messages/pending')
  @ApiAction(
    'listPendingMessages',
    'List what the phone was handed but has not acknowledged',
    'At most 25, oldest first; asked for when a heartbeat answered a pendingCount.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiDataList(PendingSmsResponse, 'What the phone is to send')
  @ApiErrors(DeviceNotFound)
  async listPending(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<PendingSmsResponse[]> {
    return (await this.phones.listPending(account, id)).map(toPendingSmsResponse);
  }

  @PhoneKeyAllowed()
  @Get(['get-received-sms', 'getReceivedSMS'])
  @ApiAction('listReceivedMessages', 'List what a device received', 'For older integrations; newest first.')
  @ApiIdParam('id', 'Device id')
  @ApiDataPage(MessageResponse, PhonePageMeta, 'A page of messages, and where it stands')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiErrors(DeviceNotFound)
  async listReceived(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Query() request: ReceivedMessagesRequest,
  ): Promise<Page<MessageResponse, PhonePageMeta> | StreamableFile> {
    const query = readMessageQuery(request.queryFor(id.toHexString()));
    const page = await this.messages.open(account, query);
    return answerPage(page, toPhonePageMeta(page.meta));
  }
}
