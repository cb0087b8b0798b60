import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import {
  ApiData,
  ApiDataList,
  ApiDataPage,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
  ApiSuccess,
} from '../../common/http/openapi-decorators';
import { PathId } from '../../common/http/requests/path-id.decorator';
import type { Page } from '../../common/http/responses/envelope.interceptor';
import { ContactPages } from '../contact-pages.service';
import { INVALID_CONTACT_CURSOR, parseContactQuery } from './contact-query';
import { ContactPageRequest } from './contact.request';
import { ContactPageMetaResponse, ContactResponse, toContactPageResponse } from './contact.response';
import { ListIsSegment, ListLimitReached, ListNotFound } from '../store/contact.errors';
import { ContactLists } from '../lists/contact-lists.service';
import { ListMembersRequest, ListPatchRequest, ListRequest, toSegmentCondition } from './list.request';
import { ListResponse, toListResponse } from './list.response';

@ApiTags('Contacts')
@Controller('gateway/lists')
export class ListsController {
  constructor(
    private readonly lists: ContactLists,
    private readonly pages: ContactPages,
  ) {}

  @Get()
  @ApiEndpoint('listLists', 'List the lists of contacts', 'With the number of their members.')
  @ApiDataList(ListResponse, 'The lists by name')
  async list(@CurrentAccount() account: AccountScope): Promise<ListResponse[]> {
    return (await this.lists.list(account)).map(toListResponse);
  }

  @Post()
  @ApiEndpoint(
    'createList',
    'Create a list of contacts',
    'Contacts are added to a list; the members of a segment are the contacts that meet its condition.',
  )
  @ApiJsonBody(ListRequest)
  @ApiData(ListResponse, 'The list', { status: 201 })
  @ApiFieldError('name', 'is that of another list of the account')
  @ApiErrors(ListLimitReached)
  async create(@CurrentAccount() account: AccountScope, @Body() { name, segment }: ListRequest) {
    const list = { name, ...(segment && { segment: toSegmentCondition(segment) }) };
    return toListResponse(await this.lists.create(account, list));
  }

  @Get(':id')
  @ApiEndpoint('getList', 'Read a list of contacts', 'With the number of its members.')
  @ApiData(ListResponse, 'The list')
  @ApiErrors(ListNotFound)
  async get(@CurrentAccount() account: AccountScope, @PathId('List id') id: Types.ObjectId) {
    return toListResponse(await this.lists.get(account, id));
  }

  @Patch(':id')
  @ApiEndpoint('updateList', 'Update a list of contacts', 'Updates only the fields sent.')
  @ApiJsonBody(ListPatchRequest)
  @ApiData(ListResponse, 'The updated list')
  @ApiFieldError('name', 'is that of another list of the account')
  @ApiErrors(ListNotFound)
  async update(
    @CurrentAccount() account: AccountScope,
    @PathId('List id') id: Types.ObjectId,
    @Body() { name, segment }: ListPatchRequest,
  ) {
    const patch = { name, ...(segment && { segment: toSegmentCondition(segment) }) };
    return toListResponse(await this.lists.update(account, id, patch));
  }

  @Delete(':id')
  @ApiEndpoint(
    'deleteList',
    'Delete a list of contacts',
    'Its members stay contacts. Sends that were accepted go to those who were members then.',
  )
  @ApiSuccess('The list is deleted')
  @ApiErrors(ListNotFound)
  async remove(
    @CurrentAccount() account: AccountScope,
    @PathId('List id') id: Types.ObjectId,
  ): Promise<void> {
    await this.lists.remove(account, id);
  }

  @Get(':id/members')
  @ApiEndpoint('listMembers', 'List the members of a list', 'By name, ignoring case and accents.')
  @ApiDataPage(ContactResponse, ContactPageMetaResponse, 'A page of contacts')
  @ApiFieldError('cursor', INVALID_CONTACT_CURSOR)
  @ApiErrors(ListNotFound)
  async members(
    @CurrentAccount() account: AccountScope,
    @PathId('List id') id: Types.ObjectId,
    @Query() request: ContactPageRequest,
  ): Promise<Page<ContactResponse, ContactPageMetaResponse>> {
    const { limit, after } = parseContactQuery(request);
    return toContactPageResponse(
      await this.pages.list(account, { filter: { listId: id }, limit, after }),
      limit,
    );
  }

  @Post(':id/members')
  @HttpCode(200)
  @ApiEndpoint('addMembers', 'Add contacts to a list', 'Repeatable.')
  @ApiJsonBody(ListMembersRequest)
  @ApiData(ListResponse, 'The list')
  @ApiFieldError('contactIds.0', 'is not a contact of the account')
  @ApiErrors(ListNotFound, ListIsSegment)
  async addMembers(
    @CurrentAccount() account: AccountScope,
    @PathId('List id') id: Types.ObjectId,
    @Body() { contactIds }: ListMembersRequest,
  ) {
    return toListResponse(await this.lists.addMembers(account, id, toIds(contactIds)));
  }

  @Delete(':id/members')
  @ApiEndpoint('removeMembers', 'Remove contacts from a list', 'They stay contacts. Repeatable.')
  @ApiJsonBody(ListMembersRequest)
  @ApiData(ListResponse, 'The list')
  @ApiFieldError('contactIds', 'must be a list of valid ids')
  @ApiErrors(ListNotFound, ListIsSegment)
  async removeMembers(
    @CurrentAccount() account: AccountScope,
    @PathId('List id') id: Types.ObjectId,
    @Body() { contactIds }: ListMembersRequest,
  ) {
    return toListResponse(await this.lists.removeMembers(account, id, toIds(contactIds)));
  }
}

const toIds = (ids: readonly string[]): Types.ObjectId[] => ids.map((id) => new Types.ObjectId(id));
