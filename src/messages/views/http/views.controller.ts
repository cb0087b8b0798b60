import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import {
  ApiData,
  ApiSuccess,
  ApiDataList,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { ViewLimitReached, ViewNotFound } from '../view.errors';
import { ViewPatchRequest, ViewRequest } from './view.request';
import { toViewResponse, ViewResponse } from './view.response';
import { ViewsService } from '../views.service';

@ApiTags('Messages')
@Controller('gateway/views')
export class ViewsController {
  constructor(private readonly views: ViewsService) {}

  @Get()
  @ApiEndpoint('listViews', 'List the saved views', 'A view is a named query of the message list.')
  @ApiDataList(ViewResponse, 'The views by name')
  async list(@CurrentAccount() account: AccountScope): Promise<ViewResponse[]> {
    return (await this.views.list(account)).map(toViewResponse);
  }

  @Post()
  @ApiEndpoint('createView', 'Save a view', 'The query is checked as GET gateway/messages checks it.')
  @ApiJsonBody(ViewRequest)
  @ApiData(ViewResponse, 'The view', { status: 201 })
  @ApiFieldError('query.limit', 'must be a whole number')
  @ApiErrors(ViewLimitReached)
  async create(@CurrentAccount() account: AccountScope, @Body() body: ViewRequest) {
    return toViewResponse(await this.views.create(account, body));
  }

  @Patch(':id')
  @ApiEndpoint('updateView', 'Update a view', 'Updates only the fields sent.')
  @ApiJsonBody(ViewPatchRequest)
  @ApiData(ViewResponse, 'The updated view')
  @ApiFieldError('name', 'is that of another view of the account')
  @ApiErrors(ViewNotFound)
  async update(
    @CurrentAccount() account: AccountScope,
    @PathId('View id') id: Types.ObjectId,
    @Body() body: ViewPatchRequest,
  ) {
    return toViewResponse(await this.views.update(account, id, body));
  }

  @Delete(':id')
  @ApiEndpoint('deleteView', 'Delete a view', 'Messages are not affected.')
  @ApiSuccess('The view is deleted')
  @ApiErrors(ViewNotFound)
  async remove(
    @CurrentAccount() account: AccountScope,
    @PathId('View id') id: Types.ObjectId,
  ): Promise<void> {
    await this.views.remove(account, id);
  }
}
