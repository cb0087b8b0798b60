import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { ApiKeyActive, ApiKeyNotFound, TooManyApiKeys } from '../../auth/api-keys/api-key.errors';
import { SessionRequired, VerificationRequired } from '../../auth/http/route-access.decorators';
import { WithMessage } from '../../common/http/responses/envelope.interceptor';
import { PathId } from '../../common/http/requests/path-id.decorator';
import {
  ApiEndpoint,
  ApiTextWithMessage,
  ApiData,
  ApiSuccess,
  ApiDataList,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { ApiKeysService, MAX_ACTIVE_KEYS } from '../api-keys.service';
import { CreateApiKeyRequest, ListApiKeysQuery, RenameApiKeyRequest } from './api-key.request';
import { ApiKeyResponse, toApiKeyResponse } from './api-key.response';

@ApiTags('Account')
@Controller('auth/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @SessionRequired()
  @Post()
  @VerificationRequired()
  @ApiEndpoint('createApiKey', 'Create an API key', 'Only this response contains the whole key; store it.')
  @ApiJsonBody(CreateApiKeyRequest)
  @ApiTextWithMessage('The key; it is shown only once', 'mgw_3fZk0bQ9XvTnL7sRcY2mWd5hJpE8aUgK', {
    status: 201,
  })
  @ApiFieldError('name', 'must be shorter than or equal to 64 characters')
  @ApiError(new TooManyApiKeys(MAX_ACTIVE_KEYS))
  @ApiErrors(DeviceNotFound)
  async create(
    @CurrentAccount() account: AccountScope,
    @Body() body: CreateApiKeyRequest,
  ): Promise<WithMessage<string>> {
    return new WithMessage(
      await this.keys.create(account, body.toNewApiKey()),
      'Keep this key: it is not shown again',
    );
  }

  @Get()
  @ApiEndpoint(
    'listApiKeys',
    'List the API keys',
    'Keys are masked. Revoked keys are listed only on request (`status`).',
  )
  @ApiDataList(ApiKeyResponse, 'The keys, without the secret part')
  @ApiFieldError('status', 'must be one of the following values: active, revoked, all')
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { status }: ListApiKeysQuery,
  ): Promise<ApiKeyResponse[]> {
    return (await this.keys.list(account, status)).map(toApiKeyResponse);
  }

  @SessionRequired()
  @Post(':id/revoke')
  @ApiEndpoint('revokeApiKey', 'Revoke an API key', 'The key is refused immediately, and its streams close.')
  @ApiData(ApiKeyResponse, 'The key as it is now')
  @ApiErrors(ApiKeyNotFound)
  async revoke(
    @CurrentAccount() account: AccountScope,
    @PathId('API key id') id: Types.ObjectId,
  ): Promise<ApiKeyResponse> {
    return toApiKeyResponse(await this.keys.revoke(account, id));
  }

  @SessionRequired()
  @Patch(':id/rename')
  @ApiEndpoint('renameApiKey', 'Rename an API key', 'Only the name changes; the key itself keeps working.')
  @ApiJsonBody(RenameApiKeyRequest)
  @ApiData(ApiKeyResponse, 'The key as it is now')
  @ApiErrors(ApiKeyNotFound)
  async rename(
    @CurrentAccount() account: AccountScope,
    @PathId('API key id') id: Types.ObjectId,
    @Body() { name }: RenameApiKeyRequest,
  ): Promise<ApiKeyResponse> {
    return toApiKeyResponse(await this.keys.rename(account, id, name));
  }

  @SessionRequired()
  @Delete(':id')
  @ApiEndpoint('deleteApiKey', 'Delete an API key', 'The key must be revoked first.')
  @ApiSuccess('The key is deleted')
  @ApiErrors(ApiKeyNotFound, ApiKeyActive)
  async remove(
    @CurrentAccount() account: AccountScope,
    @PathId('API key id') id: Types.ObjectId,
  ): Promise<void> {
    await this.keys.remove(account, id);
  }
}
