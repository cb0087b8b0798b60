import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Annotated } from '../common/http/envelope.interceptor';
import { ParseIdPipe } from '../common/http/id.pipe';
import { type AccountScope, CurrentAccount } from './account-scope';
import { ApiKeysService } from './api-keys.service';
import { CreateApiKeyRequest, ListApiKeysQuery, RenameApiKeyRequest } from './dto/api-key.request';
import { ApiKeyResponse, toApiKeyResponse } from './dto/api-key.response';

@Controller('auth/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  async create(
    @CurrentAccount() account: AccountScope,
    @Body() { name }: CreateApiKeyRequest,
  ): Promise<Annotated<string>> {
    return new Annotated(await this.keys.create(account, name), 'Keep this key: it is not shown again');
  }

  @Get()
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { status }: ListApiKeysQuery,
  ): Promise<ApiKeyResponse[]> {
    return (await this.keys.list(account, status)).map(toApiKeyResponse);
  }

  @Post(':id/revoke')
  @HttpCode(200)
  async revoke(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<ApiKeyResponse> {
    return toApiKeyResponse(await this.keys.revoke(account, id));
  }

  @Patch(':id/rename')
  async rename(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() { name }: RenameApiKeyRequest,
  ): Promise<ApiKeyResponse> {
    return toApiKeyResponse(await this.keys.rename(account, id, name));
  }

  @Delete(':id')
  async remove(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<{ success: true }> {
    await this.keys.remove(account, id);
    return { success: true };
  }
}
