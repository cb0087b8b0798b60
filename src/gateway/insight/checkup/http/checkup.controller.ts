import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../../auth/account-scope';
import { ApiData, ApiEndpoint, ApiErrors } from '../../../../common/http/openapi-decorators';
import { PathId } from '../../../../common/http/requests/path-id.decorator';
import { DeviceNotFound } from '../../../../devices/store/devices.errors';
import { CheckupService } from '../checkup.service';
import { CheckupResponse, toCheckupResponse } from './checkup.response';

@ApiTags('Phones')
@Controller('gateway/devices')
export class CheckupController {
  constructor(private readonly checkup: CheckupService) {}

  @Get(':id/checkup')
  @ApiEndpoint(
    'checkUpDevice',
    'Check a phone',
    'Tells of a phone what works, what does not and what to tap, by what it has reported and what became of its last 200 messages within seven days. Nothing is sent to it.',
  )
  @ApiData(CheckupResponse, 'The checks')
  @ApiErrors(DeviceNotFound)
  async checkUp(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
  ): Promise<CheckupResponse> {
    return toCheckupResponse(await this.checkup.checkUp(account, id));
  }
}
