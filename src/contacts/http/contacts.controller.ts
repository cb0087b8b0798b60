import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import {
  ApiData,
  ApiDataPage,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import { PathId } from '../../common/http/requests/path-id.decorator';
import type { Page } from '../../common/http/responses/envelope.interceptor';
import { ContactBusy, ContactNotFound, ListNotFound } from '../store/contact.errors';
import { ContactMerge } from '../contact-merge.service';
import { ContactPages } from '../contact-pages.service';
import { ContactsService } from '../contacts.service';
import { ApiContactErrors } from './contact.openapi';
import { INVALID_CONTACT_CURSOR, parseContactQuery } from './contact-query';
import {
  ContactListRequest,
  ContactMergeRequest,
  ContactPatchRequest,
  ContactRequest,
  toContactInput,
} from './contact.request';
import {
  ContactPageMetaResponse,
  ContactResponse,
  toContactPageResponse,
  toContactResponse,
} from './contact.response';

/** The deletion of contacts is in `src/erasure`. */
@ApiTags('Contacts')
@Controller('gateway/contacts')
export class ContactsController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly pages: ContactPages,
    private readonly merges: ContactMerge,
  ) {}

  @Get()
  @ApiEndpoint('listContacts', 'List contacts', 'By name, ignoring case and accents. All filters apply.')
  @ApiDataPage(ContactResponse, ContactPageMetaResponse, 'A page of contacts')
  @ApiFieldError('cursor', INVALID_CONTACT_CURSOR)
  @ApiErrors(ListNotFound)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() request: ContactListRequest,
  ): Promise<Page<ContactResponse, ContactPageMetaResponse>> {
    const query = parseContactQuery(request);
    return toContactPageResponse(await this.pages.list(account, query), query.limit);
  }

  @Post()
  @ApiEndpoint(
    'createContact',
    'Create a contact',
    'A number belongs to one contact, in whatever spelling. POST gateway/conversations/{number}/contact creates the contact of a conversation with its note.',
  )
  @ApiJsonBody(ContactRequest)
  @ApiData(ContactResponse, 'The contact', { status: 201 })
  @ApiFieldError('numbers.0.number', 'is not a phone number: 3 to 15 digits, with or without a leading +')
  @ApiContactErrors()
  async create(@CurrentAccount() account: AccountScope, @Body() body: ContactRequest) {
    return toContactResponse(await this.contacts.create(account, toContactInput(body)));
  }

  @Get(':id')
  @ApiEndpoint('getContact', 'Read a contact', 'With its numbers, fields, tags, lists and notes.')
  @ApiData(ContactResponse, 'The contact')
  @ApiErrors(ContactNotFound)
  async get(@CurrentAccount() account: AccountScope, @PathId('Contact id') id: Types.ObjectId) {
    return toContactResponse(await this.contacts.get(account, id));
  }

  @Patch(':id')
  @ApiEndpoint('updateContact', 'Update a contact', 'Updates only the fields sent.')
  @ApiJsonBody(ContactPatchRequest)
  @ApiData(ContactResponse, 'The updated contact')
  @ApiFieldError('numbers.0.number', 'is not a phone number: 3 to 15 digits, with or without a leading +')
  @ApiContactErrors()
  @ApiErrors(ContactNotFound)
  async update(
    @CurrentAccount() account: AccountScope,
    @PathId('Contact id') id: Types.ObjectId,
    @Body() body: ContactPatchRequest,
  ) {
    return toContactResponse(await this.contacts.update(account, id, toContactInput(body)));
  }

  @Post(':id/merge')
  @HttpCode(200)
  @ApiEndpoint(
    'mergeContact',
    'Merge a contact into this one',
    'This one gets its numbers, tags, lists and notes, and the fields that it does not have; the other contact is removed. Repeatable.',
  )
  @ApiJsonBody(ContactMergeRequest)
  @ApiData(ContactResponse, 'The contact with what both had')
  @ApiFieldError('contactId', 'is not a contact of the account')
  @ApiErrors(ContactNotFound, ContactBusy)
  async merge(
    @CurrentAccount() account: AccountScope,
    @PathId('Contact id') id: Types.ObjectId,
    @Body() { contactId }: ContactMergeRequest,
  ) {
    return toContactResponse(await this.merges.merge(account, id, new Types.ObjectId(contactId)));
  }
}
