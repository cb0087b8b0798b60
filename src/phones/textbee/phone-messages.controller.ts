import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { LimitsConcurrency } from '../../auth/http/concurrency.interceptor';
import { PhoneKeyAllowed } from '../../auth/http/route-access.decorators';
import type { Page } from '../../common/http/responses/envelope.interceptor';
import { PathId } from '../../common/http/requests/path-id.decorator';
import {
  ApiEndpoint,
  ApiDataList,
  ApiDataPage,
  ApiError,
  ApiErrors,
  ApiFieldError,
} from '../../common/http/openapi-decorators';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { toMessagePageResponse } from '../../messages/lists/http/message-list.response';
import { MessageResponse } from '../../messages/http/message.response';
import { LimitsSearches } from '../../messages/lists/http/limits-searches.decorator';
import { SearchTooSlow } from '../../messages/lists/message-list.errors';
import { MessageListService } from '../../messages/lists/message-list.service';
import { parseMessageQuery, type RawMessageQuery } from '../../messages/lists/message-query';
import { DeviceMessagesRequest, ReceivedMessagesRequest } from './phone-messages.request';
import { toSmsPayload } from '../../gateway/push-commands/sms-command';
import { PendingSmsResponse, PhonePageMeta, toPhonePageMeta } from './phone-messages.response';
import { PhoneCall } from '../phone-call.interceptor';
import { PhoneService } from '../phone.service';

type MessagePage = Page<MessageResponse, PhonePageMeta> | StreamableFile;

/** Message lists of one device, for phones and older integrations. */
@ApiTags('Phones')
@Controller('gateway/devices/:id')
export class PhoneMessagesController {
  constructor(
    private readonly phones: PhoneService,
    private readonly messages: MessageListService,
  ) {}

  @PhoneKeyAllowed()
  @LimitsSearches()
  @Get('messages')
  @ApiEndpoint('listDeviceMessages', "List a device's messages", 'Newest first.')
  @ApiDataPage(MessageResponse, PhonePageMeta, 'A page of messages, and where it stands')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiErrors(DeviceNotFound)
  @ApiError(new SearchTooSlow(2_000))
  list(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
    @Query() request: DeviceMessagesRequest,
  ): Promise<MessagePage> {
    return this.pageOf(account, request.queryFor(id.toHexString()));
  }

  @PhoneKeyAllowed()
  @PhoneCall()
  @Get('messages/pending')
  @ApiEndpoint(
    'listPendingMessages',
    'List unacknowledged messages',
    'Messages that were pushed to the phone, over FCM at least 30 minutes ago, and not acknowledged: at most 25, oldest first. Phones call it when the response to a heartbeat has a pendingCount above 0.',
  )
  @ApiDataList(PendingSmsResponse, 'Messages for the phone to send')
  @ApiErrors(DeviceNotFound)
  async listUnacknowledged(@CurrentAccount() account: AccountScope, @PathId('Device id') id: Types.ObjectId) {
    return (await this.phones.listRedeliverable(account, id)).map(toSmsPayload);
  }

  @PhoneKeyAllowed()
  @LimitsConcurrency('lists', 50)
  @Get(['get-received-sms', 'getReceivedSMS'])
  @ApiEndpoint(
    'listReceivedMessages',
    'List received messages of a device',
    'For older integrations; newest first.',
  )
  @ApiDataPage(MessageResponse, PhonePageMeta, 'A page of messages, and where it stands')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiErrors(DeviceNotFound)
  listReceived(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
    @Query() request: ReceivedMessagesRequest,
  ) {
    return this.pageOf(account, request.queryFor(id.toHexString()));
  }

  private async pageOf(account: AccountScope, request: RawMessageQuery): Promise<MessagePage> {
    const page = await this.messages.stream(account, parseMessageQuery(request));
    return toMessagePageResponse(page, toPhonePageMeta(page.meta));
  }
}
