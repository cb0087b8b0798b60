import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ApiData, ApiEndpoint, ApiErrors, ApiJsonBody } from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import {
  DeviceDisabled,
  DeviceDraining,
  DeviceNotFound,
  DeviceNotPushable,
  PushTokenHeld,
} from '../../../devices/store/devices.errors';
import { TargetDeviceNotFound } from '../../../gateway/routing/move.errors';
import { PhoneReplacement } from '../phone-replacement.service';
import { DeviceReplaced } from '../replacement.errors';
import { ReplacementRequest } from './replacement.request';
import { ReplacementResponse } from './replacement.response';

@ApiTags('Phones')
@Controller('gateway/devices')
export class ReplacementController {
  constructor(private readonly replacement: PhoneReplacement) {}

  @Post(':id/replace')
  @HttpCode(200)
  @ApiEndpoint(
    'replaceDevice',
    'Replace a phone by another one',
    'Deletes the device. What waits for it moves to the other phone, which chooses the SIM; scheduled messages keep their time, those of pools their pool. What it was handed and has not reported becomes unknown with the reason DEVICE_REPLACED: it may have been sent, and is not handed out again. Its messages are listed with includeDeletedDevices. Repeated calls continue.',
  )
  @ApiJsonBody(ReplacementRequest)
  @ApiData(ReplacementResponse, 'What became of its messages')
  @ApiErrors(
    DeviceNotFound,
    TargetDeviceNotFound,
    DeviceReplaced,
    DeviceDisabled,
    DeviceDraining,
    DeviceNotPushable,
    PushTokenHeld,
  )
  async replace(
    @CurrentAccount() account: AccountScope,
    @PathId('Id of the device that is replaced') id: Types.ObjectId,
    @Body() { deviceId }: ReplacementRequest,
  ): Promise<ReplacementResponse> {
    return this.replacement.replace(account, id, new Types.ObjectId(deviceId));
  }
}
