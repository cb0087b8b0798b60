import { applyDecorators, Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ValidationFailed } from '../../../common/errors';
import {
  ApiData,
  ApiDataPage,
  ApiEndpoint,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { INVALID_ID, parseId } from '../../../common/http/requests/id.pipe';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { ContactDetailsRequest, toContactInput } from '../../../contacts/http/contact.request';
import { ContactResponse, toContactResponse } from '../../../contacts/http/contact.response';
import { ApiContactErrors } from '../../../contacts/http/contact.openapi';
import { SearchTooSlow } from '../../lists/message-list.errors';
import { parseMessageQuery } from '../../lists/message-query';
import { ConversationNotFound } from '../conversation.errors';
import {
  ConversationListRequest,
  ConversationPatchRequest,
  ConversationReadRequest,
} from './conversation.request';
import {
  ConversationListMetaResponse,
  ConversationResponse,
  toConversationResponse,
} from './conversation.response';
import { ConversationsService } from '../conversations.service';
import { LimitsSearches } from '../../lists/http/limits-searches.decorator';

const ApiNumber = () =>
  applyDecorators(
    ApiParam({
      name: 'number',
      type: String,
      description:
        'Number of the conversation in any spelling; the + may be written %2B. Without its country code, it is read with the default country of the account and the countries of its SIMs',
      example: '+447700900123',
    }),
    ApiErrors(ConversationNotFound),
  );

@ApiTags('Conversations')
@Controller('gateway/conversations')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @LimitsSearches()
  @Get()
  @ApiEndpoint(
    'listConversations',
    'List the conversations of the account',
    'A conversation is all messages with one number. It begins with a received message, or one sent to at most 20 recipients; messages to more do not move it. That with the newest message comes first. Messages of deleted devices belong to it, unless they were deleted with the device. A sent or received message appears within a second.',
  )
  @ApiDataPage(ConversationResponse, ConversationListMetaResponse, 'A page of conversations')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiError(new SearchTooSlow(2_000))
  @ApiErrors(DeviceNotFound)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { cursor, limit, deviceIds, search, unread, unanswered }: ConversationListRequest,
  ): Promise<Page<ConversationResponse, ConversationListMetaResponse>> {
    const { filter, limit: count, start } = parseMessageQuery({ cursor, limit, deviceIds });
    const { views, meta } = await this.conversations.list(account, {
      filter: {
        search,
        devices: filter.devices,
        unread: unread === 'true',
        unanswered: unanswered === 'true',
      },
      limit: count,
      after: 'after' in start ? start.after : undefined,
    });
    return new Page(views.map(toConversationResponse), meta);
  }

  @Get(':number')
  @ApiEndpoint(
    'getConversation',
    'Read a conversation',
    'Its messages are listed by GET gateway/messages with contactNumber and includeDeletedDevices.',
  )
  @ApiNumber()
  @ApiData(ConversationResponse, 'The conversation')
  async get(@CurrentAccount() account: AccountScope, @Param('number') number: string) {
    return toConversationResponse(await this.conversations.get(account, number));
  }

  @Patch(':number')
  @ApiEndpoint(
    'updateConversation',
    'Write a note on a conversation',
    'The note is removed with the last message of the conversation.',
  )
  @ApiNumber()
  @ApiJsonBody(ConversationPatchRequest)
  @ApiData(ConversationResponse, 'The conversation')
  @ApiFieldError('note', 'must be shorter than or equal to 2000 characters')
  async update(
    @CurrentAccount() account: AccountScope,
    @Param('number') number: string,
    @Body() { note }: ConversationPatchRequest,
  ) {
    return toConversationResponse(
      note === undefined
        ? await this.conversations.get(account, number)
        : await this.conversations.setNote(account, number, note ?? ''),
    );
  }

  @Post(':number/contact')
  @ApiEndpoint(
    'createConversationContact',
    'Create the contact of a conversation',
    'With the number of the conversation, whose note becomes one of the contact.',
  )
  @ApiNumber()
  @ApiJsonBody(ContactDetailsRequest)
  @ApiData(ContactResponse, 'The contact', { status: 201 })
  @ApiFieldError('language', 'must be a language tag such as en or pt-BR')
  @ApiContactErrors()
  async createContact(
    @CurrentAccount() account: AccountScope,
    @Param('number') number: string,
    @Body() body: ContactDetailsRequest,
  ) {
    return toContactResponse(await this.conversations.createContact(account, number, toContactInput(body)));
  }

  @Post(':number/read')
  @HttpCode(200)
  @ApiEndpoint(
    'markConversationRead',
    'Mark a conversation as read',
    'Never marks messages as unread again. Repeatable.',
  )
  @ApiNumber()
  @ApiJsonBody(ConversationReadRequest)
  @ApiData(ConversationResponse, 'The conversation')
  @ApiFieldError('through', 'is not a message received in this conversation')
  async read(
    @CurrentAccount() account: AccountScope,
    @Param('number') number: string,
    @Body() { through }: ConversationReadRequest,
  ) {
    const id = through === undefined ? undefined : parseId(through);
    if (id === null) throw ValidationFailed.of('through', INVALID_ID);
    return toConversationResponse(await this.conversations.markRead(account, number, id));
  }
}
