import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ApiData, ApiSuccess, ApiEndpoint, ApiErrors } from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { DrainResponse, toDrainResponse } from './drain.response';
import { DrainService } from '../drain.service';

@ApiTags('Phones')
@Controller('gateway/devices/:id/drain')
export class DrainController {
  constructor(private readonly draining: DrainService) {}

  @Post()
  @HttpCode(200)
  @ApiEndpoint(
    'drainDevice',
    'Take a device out of use',
    'It takes no new messages: sends that name it are refused, others use another device. Messages of pools that it has not been handed go out from other SIMs; all others still go out from it. Repeated calls return the progress.',
  )
  @ApiData(DrainResponse, 'What it still has to send')
  @ApiErrors(DeviceNotFound)
  async drain(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
  ): Promise<DrainResponse> {
    return toDrainResponse(await this.draining.drain(account, id));
  }

  @Delete()
  @ApiEndpoint(
    'endDrain',
    'Take a device into use again',
    'Ends drainDevice: the device takes new messages again. Idempotent.',
  )
  @ApiSuccess('The device is not draining')
  @ApiErrors(DeviceNotFound)
  async end(@CurrentAccount() account: AccountScope, @PathId('Device id') id: Types.ObjectId): Promise<void> {
    await this.draining.end(account, id);
  }
}
